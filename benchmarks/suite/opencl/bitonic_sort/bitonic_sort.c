// Pairs are handled in chunks; inside a chunk the innermost loop runs over contiguous elements.
static void exchange(unsigned *a, long left, long dist, long count, int up) {
    unsigned *lo = a + left, *hi = a + left + dist;
    if (up)
        for (long j = 0; j < count; j++) {
            unsigned x = lo[j], y = hi[j];
            lo[j] = x < y ? x : y;
            hi[j] = x < y ? y : x;
        }
    else
        for (long j = 0; j < count; j++) {
            unsigned x = lo[j], y = hi[j];
            lo[j] = x < y ? y : x;
            hi[j] = x < y ? x : y;
        }
}

void bitonic_sort(unsigned *a, long log_n) {
    long pairs = 1l << (log_n - 1), chunk = pairs < 8192 ? pairs : 8192;
    for (long stage = 0; stage < log_n; stage++)
        for (long shift = stage; shift >= 0; shift--) {
            long dist = 1l << shift;
            #pragma omp parallel for schedule(static)
            for (long c = 0; c < pairs; c += chunk)
                for (long i = c; i < c + chunk;) {
                    long offset = i & (dist - 1);
                    long count = dist - offset < c + chunk - i ? dist - offset : c + chunk - i;
                    long left = ((i >> shift) << (shift + 1)) + offset;
                    exchange(a, left, dist, count, ((i >> stage) & 1) == 0);
                    i += count;
                }
        }
}
