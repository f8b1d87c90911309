// A transpose of n x n floats by tiles of 8 x 8 in registers; n is a multiple of 8.
typedef float row __attribute__((vector_size(32)));
typedef float unaligned_row __attribute__((vector_size(32), aligned(4), may_alias));

#define PAIRS(to, from, a, b, low, high)                                              \
  to[a] = __builtin_shufflevector(from[a], from[b], low);                             \
  to[b] = __builtin_shufflevector(from[a], from[b], high);
#define ONES 0, 8, 2, 10, 4, 12, 6, 14
#define OTHER_ONES 1, 9, 3, 11, 5, 13, 7, 15
#define TWOS 0, 1, 8, 9, 4, 5, 12, 13
#define OTHER_TWOS 2, 3, 10, 11, 6, 7, 14, 15
#define FOURS 0, 1, 2, 3, 8, 9, 10, 11
#define OTHER_FOURS 4, 5, 6, 7, 12, 13, 14, 15

void transpose(const float *restrict a, float *restrict out, long n) {
  for (long j = 0; j < n; j += 8)
    for (long i = 0; i < n; i += 8) {
      row r[8], s[8];
#pragma GCC unroll 8
      for (int y = 0; y < 8; y++)
        r[y] = *(const unaligned_row *)(a + (j + y) * n + i);
#pragma GCC unroll 4
      for (int y = 0; y < 8; y += 2) {
        PAIRS(s, r, y, y + 1, ONES, OTHER_ONES)
      }
#pragma GCC unroll 4
      for (int k = 0; k < 4; k++) {
        int y = k / 2 * 4 + k % 2;
        PAIRS(r, s, y, y + 2, TWOS, OTHER_TWOS)
      }
#pragma GCC unroll 4
      for (int y = 0; y < 4; y++) {
        PAIRS(s, r, y, y + 4, FOURS, OTHER_FOURS)
      }
#pragma GCC unroll 8
      for (int y = 0; y < 8; y++)
        *(unaligned_row *)(out + (i + y) * n + j) = s[y];
    }
}
