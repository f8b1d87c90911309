// Register block of 4 x 64 results; the loop over k is innermost around the block.
void gemm(T *restrict C, const T *restrict A, const T *restrict B, long n) {
    #pragma omp parallel for collapse(2)
    for (long i = 0; i < n; i += 4)
        for (long j = 0; j < n; j += 64) {
            T acc[4][64] = {{0}};
            for (long k = 0; k < n; k++)
                for (long r = 0; r < 4; r++)
                    for (long c = 0; c < 64; c++)
                        acc[r][c] += A[(i + r) * n + k] * B[k * n + j + c];
            for (long r = 0; r < 4; r++)
                for (long c = 0; c < 64; c++)
                    C[(i + r) * n + j + c] = acc[r][c];
        }
}
