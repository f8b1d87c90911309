void group_reduce(float *restrict out, const float *restrict in, long repeats, long groups) {
    #pragma omp parallel for
    for (long g = 0; g < groups; g++) {
        float v[256];
        for (int i = 0; i < 256; i++)
            v[i] = in[g * 256 + i];
        for (long r = 0; r < repeats; r++) {
            float sum = 0;
            for (int i = 0; i < 256; i++)
                sum += v[i];
            for (int i = 0; i < 256; i++)
                v[i] = 0.5f * v[i] + (0.5f / 256.0f) * sum;
        }
        for (int i = 0; i < 256; i++)
            out[g * 256 + i] = v[i];
    }
}
