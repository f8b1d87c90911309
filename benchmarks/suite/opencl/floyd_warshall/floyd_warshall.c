void floyd_warshall(unsigned *distance, unsigned *path, long n) {
    for (long k = 0; k < n; k++) {
        #pragma omp parallel for
        for (long y = 0; y < n; y++) {
            unsigned to_k = distance[y * n + k];
            #pragma omp simd
            for (long x = 0; x < n; x++) {
                unsigned old = distance[y * n + x], via = to_k + distance[k * n + x];
                distance[y * n + x] = via < old ? via : old;
                path[y * n + x] = via < old ? (unsigned)k : path[y * n + x];
            }
        }
    }
}
