void reduction(T *restrict partial, const T *restrict x, long groups) {
    #pragma omp parallel for
    for (long g = 0; g < groups; g++) {
        T sum = 0;
        for (long i = 0; i < 256; i++)
            sum += x[g * 256 + i];
        partial[g] = sum;
    }
}
