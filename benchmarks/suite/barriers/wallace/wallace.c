void wallace(float *restrict out, const float *restrict seed, long repeats, long groups) {
    #pragma omp parallel for
    for (long g = 0; g < groups; g++) {
        float pool[1024], next[1024];
        for (int i = 0; i < 1024; i++)
            pool[i] = seed[g * 1024 + i];
        for (long r = 0; r < repeats; r++) {
            #pragma omp simd
            for (int lid = 0; lid < 256; lid++) {
                unsigned at = lid * 4 * 293 + (int)r * 77;
                float p = pool[at & 1023], q = pool[(at + 293) & 1023];
                float u = pool[(at + 586) & 1023], v = pool[(at + 879) & 1023];
                float t = 0.5f * (p + q + u + v);
                next[lid] = p - t;
                next[lid + 256] = q - t;
                next[lid + 512] = t - u;
                next[lid + 768] = t - v;
            }
            for (int i = 0; i < 1024; i++)
                out[(g * repeats + r) * 1024 + i] = pool[i] = next[i];
        }
    }
}
