void naive_gemm(float *restrict C, const float *restrict A, const float *restrict B, long n) {
    #pragma omp parallel for
    for (long i = 0; i < n; i++) {
        for (long j = 0; j < n; j++)
            C[i * n + j] = 0;
        for (long k = 0; k < n; k++)
            for (long j = 0; j < n; j++)
                C[i * n + j] += A[i * n + k] * B[k * n + j];
    }
}
