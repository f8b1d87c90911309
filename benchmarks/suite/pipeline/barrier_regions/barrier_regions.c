void barrier_regions(int *restrict a, int *restrict b, long n) {
    #pragma omp parallel for simd
    for (long i = 0; i < n; i++) {
        a[i] += 4;
        b[i] += 4;
    }
}
