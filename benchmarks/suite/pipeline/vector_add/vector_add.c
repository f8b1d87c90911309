void vector_add(int *restrict c, const int *restrict a, const int *restrict b, long n) {
    #pragma omp parallel for simd
    for (long i = 0; i < n; i++)
        c[i] = a[i] + b[i];
}
