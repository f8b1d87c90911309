// One stencil over n x n doubles, padded by RADIUS; USES(x, y) says which neighbours it has.
#define WIDTH (2 * RADIUS + 1)

void stencil(const double *restrict a, double *restrict out, long n) {
  for (long j = 0; j < n; j++)
    for (long i = 0; i < n; i++) {
      double total = 0;
#pragma GCC unroll 8
      for (long y = 0; y < WIDTH; y++)
#pragma GCC unroll 8
        for (long x = 0; x < WIDTH; x++)
          if (USES(x, y))
            total += a[(j + y) * (n + 2 * RADIUS) + i + x];
      out[j * n + i] = total * 0.2;
    }
}
