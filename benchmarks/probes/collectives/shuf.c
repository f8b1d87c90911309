#include <immintrin.h>

// n times: each of 16 lanes adds its own element of x to what lane at[i] has.
void shuf(const float *x, const int *at, float *y, long n) {
#ifdef __AVX512F__
  __m512i from = _mm512_loadu_si512(at);
  __m512 own = _mm512_loadu_ps(x), all = own;
  for (long k = 0; k < n; k++)
    all = _mm512_add_ps(_mm512_permutexvar_ps(from, all), own);
  _mm512_storeu_ps(y, all);
#else
  __m256i from[2];
  __m256 own[2], all[2], upper[2], got[2];
  for (int h = 0; h < 2; h++) {
    from[h] = _mm256_loadu_si256((const __m256i *)(at + 8 * h));
    upper[h] = _mm256_castsi256_ps(_mm256_slli_epi32(from[h], 28)); // bit 3 as the sign
    all[h] = own[h] = _mm256_loadu_ps(x + 8 * h);
  }
  for (long k = 0; k < n; k++) {
    for (int h = 0; h < 2; h++)
      got[h] = _mm256_blendv_ps(_mm256_permutevar8x32_ps(all[0], from[h]),
                                _mm256_permutevar8x32_ps(all[1], from[h]), upper[h]);
    for (int h = 0; h < 2; h++)
      all[h] = _mm256_add_ps(got[h], own[h]);
  }
  for (int h = 0; h < 2; h++)
    _mm256_storeu_ps(y + 8 * h, all[h]);
#endif
}
