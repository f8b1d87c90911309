void stencil5(float *restrict out, const float *restrict in, long n) {
    #pragma omp parallel for
    for (long y = 1; y < n - 1; y++)
        for (long x = 1; x < n - 1; x++) {
            long c = y * n + x;
            out[c] = 0.5f * in[c] + 0.125f * (in[c - 1] + in[c + 1] + in[c - n] + in[c + n]);
        }
}

void stencil9(double *restrict out, const double *restrict in, long n) {
    #pragma omp parallel for
    for (long y = 1; y < n - 1; y++)
        for (long x = 1; x < n - 1; x++) {
            long c = y * n + x;
            double above = in[c - n - 1] + in[c - n] + in[c - n + 1];
            double below = in[c + n - 1] + in[c + n] + in[c + n + 1];
            out[c] = (above + in[c - 1] + in[c] + in[c + 1] + below) * (1.0 / 9.0);
        }
}
