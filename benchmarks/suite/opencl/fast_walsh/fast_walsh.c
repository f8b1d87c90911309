void fast_walsh(float *a, long log_n) {
    long pairs = 1l << (log_n - 1), chunk = pairs < 8192 ? pairs : 8192;
    for (long shift = 0; shift < log_n; shift++) {
        long step = 1l << shift;
        #pragma omp parallel for schedule(static)
        for (long c = 0; c < pairs; c += chunk)
            for (long i = c; i < c + chunk;) {
                long offset = i & (step - 1);
                long count = step - offset < c + chunk - i ? step - offset : c + chunk - i;
                float *lo = a + ((i >> shift) << (shift + 1)) + offset, *hi = lo + step;
                for (long j = 0; j < count; j++) {
                    float x = lo[j], y = hi[j];
                    lo[j] = x + y;
                    hi[j] = x - y;
                }
                i += count;
            }
    }
}
