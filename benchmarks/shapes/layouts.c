// A stencil of 5 points, or 9 with NINE, over n x n doubles: rows of 8, or with BLOCKS 2x2 blocks,
// two of which are a vector. Either is loaded in whole vectors, each once for a row of results.
typedef double Vector __attribute__((vector_size(64), aligned(8)));

#define WEST(p, c) __builtin_shufflevector(p, c, 7, 8, 9, 10, 11, 12, 13, 14)
#define EAST(c, n) __builtin_shufflevector(c, n, 1, 2, 3, 4, 5, 6, 7, 8)
#define ABOVE(u, c, d) (u)
#define BELOW(u, c, d) (d)
#define WIDTH (n / 8)
#define HEIGHT n
#ifdef BLOCKS
#undef WEST
#undef EAST
#undef ABOVE
#undef BELOW
#undef WIDTH
#undef HEIGHT
#define WEST(p, c) __builtin_shufflevector(p, c, 5, 8, 7, 10, 9, 12, 11, 14)
#define EAST(c, n) __builtin_shufflevector(c, n, 1, 4, 3, 6, 5, 8, 7, 10)
#define MEET(a, b) __builtin_shufflevector(a, b, 2, 3, 8, 9, 6, 7, 12, 13)
#define ABOVE(u, c, d) MEET(u, c)
#define BELOW(u, c, d) MEET(c, d)
#define WIDTH (n / 4)
#define HEIGHT (n / 2)
#endif

void layouts(const Vector *restrict a, Vector *restrict out, long n) {
  long pitch = WIDTH + 2;
  for (long j = 0; j < HEIGHT; j++) {
    const Vector *up = a + j * pitch, *here = up + pitch, *down = here + pitch;
    Vector before = here[0], now = here[1];
    Vector above0 = ABOVE(up[0], before, down[0]), above = ABOVE(up[1], now, down[1]);
    Vector below0 = BELOW(up[0], before, down[0]), below = BELOW(up[1], now, down[1]);
    for (long i = 0; i < WIDTH; i++) {
      Vector next = here[i + 2];
      Vector above2 = ABOVE(up[i + 2], next, down[i + 2]);
      Vector below2 = BELOW(up[i + 2], next, down[i + 2]);
      Vector total = now + WEST(before, now) + EAST(now, next) + above + below;
#ifdef NINE
      total += WEST(above0, above) + EAST(above, above2);
      total += WEST(below0, below) + EAST(below, below2);
#endif
      out[j * WIDTH + i] = total * 0.2;
      before = now, now = next;
      above0 = above, above = above2;
      below0 = below, below = below2;
    }
  }
}
