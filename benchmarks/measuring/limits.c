// What the machine can do at most: arithmetic, memory and indexed access.
// Threads come from OMP_NUM_THREADS; prints one line for each limit: name, unit, rate.
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#if defined(__AVX2__) || defined(__AVX512F__)
#include <immintrin.h>
#endif

enum { REPEATS = 15 };

#if defined(__AVX512F__)
enum { BYTES = 64 };
#elif defined(__AVX__)
enum { BYTES = 32 };
#else
enum { BYTES = 16 };
#endif

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// Independent accumulators hide the latency of the units.
#define FMA(NAME, TYPE)                                                                   \
    typedef TYPE NAME##_vector __attribute__((vector_size(BYTES)));                       \
    static double NAME(void) {                                                            \
        const long rounds = 100000;                                                       \
        _Pragma("omp parallel") {                                                         \
            NAME##_vector sum[12], m = {0}, c = {0};                                      \
            m += (TYPE)0.999, c += (TYPE)0.001;                                           \
            for (int i = 0; i < 12; i++) sum[i] = c * (TYPE)i;                            \
            for (long r = 0; r < rounds; r++) {                                           \
                for (int i = 0; i < 12; i++) sum[i] = sum[i] * m + c;                     \
                __asm__ volatile("" ::: "memory");                                        \
            }                                                                             \
            for (int i = 0; i < 12; i++) {                                                \
                volatile NAME##_vector kept = sum[i];                                     \
                (void)kept;                                                               \
            }                                                                             \
        }                                                                                 \
        return rounds * 24.0 * (BYTES / sizeof(TYPE)) * omp_get_max_threads();            \
    }
FMA(fma_f32, float)
FMA(fma_f64, double)

enum { N = 1 << 24 };
static double *a, *b, *c;

static double triad(void) {
    #pragma omp parallel for simd
    for (long i = 0; i < N; i++) a[i] = b[i] + 0.4 * c[i];
    return 24.0 * N;
}

static double copy(void) {
    #pragma omp parallel for simd
    for (long i = 0; i < N; i++) c[i] = a[i];
    return 16.0 * N;
}

static double dot(void) {
    double sum = 0;
    #pragma omp parallel for simd reduction(+ : sum)
    for (long i = 0; i < N; i++) sum += b[i] * c[i];
    a[0] = sum;
    return 16.0 * N;
}

// Indexed access to a table in the first-level cache.
enum { TABLE = 4096, INDICES = 1 << 14, SWEEPS = 64 };
static float table[TABLE], results[INDICES] __attribute__((aligned(64)));
static int indices[INDICES] __attribute__((aligned(64)));

#define INDEXED(NAME, STEP, BODY)                          \
    static double NAME(void) {                             \
        for (int sweep = 0; sweep < SWEEPS; sweep++) {     \
            for (int i = 0; i < INDICES; i += STEP) BODY   \
            __asm__ volatile("" ::: "memory");             \
        }                                                  \
        return (double)INDICES * SWEEPS;                   \
    }
#if defined(__AVX512F__)
INDEXED(gather, 16, {
    __m512i at = _mm512_load_si512(indices + i);
    _mm512_store_ps(results + i, _mm512_i32gather_ps(at, table, 4));
})
INDEXED(scatter, 16, {
    __m512i at = _mm512_load_si512(indices + i);
    _mm512_i32scatter_ps(table, at, _mm512_load_ps(results + i), 4);
})
#elif defined(__AVX2__)
INDEXED(gather, 8, {
    __m256i at = _mm256_load_si256((__m256i *)(indices + i));
    _mm256_store_ps(results + i, _mm256_i32gather_ps(table, at, 4));
})
#endif
INDEXED(indexed_load, 1, {
    results[i] = table[indices[i]];
    __asm__ volatile("");
})
INDEXED(indexed_store, 1, {
    table[indices[i]] = results[i];
    __asm__ volatile("");
})

static void report(const char *name, const char *unit, double (*body)(void)) {
    double rates[REPEATS];
    body();
    for (int run = 0; run < REPEATS; run++) {
        double start = omp_get_wtime(), work = body();
        rates[run] = work / (omp_get_wtime() - start) / 1e9;
    }
    qsort(rates, REPEATS, sizeof rates[0], ascending);
    printf("%s %s %.2f\n", name, unit, rates[REPEATS - 1]);
}

static double *array(double value, long shift) {
    // Starts that differ modulo 4 KiB: equal ones cost up to a third.
    double *room = aligned_alloc(4096, sizeof(double) * N + (1 << 16));
    double *start = (double *)((char *)room + shift * 4160);
    #pragma omp parallel for
    for (long i = 0; i < N; i++) start[i] = value;
    return start;
}

int main(void) {
    a = array(0.1, 0), b = array(0.2, 1), c = array(0.3, 2);
    report("fma_f32", "GFLOP/s", fma_f32);
    report("fma_f64", "GFLOP/s", fma_f64);
    report("stream_triad", "GB/s", triad);
    report("stream_copy", "GB/s", copy);
    report("stream_dot", "GB/s", dot);
    for (int i = 0; i < INDICES; i++) indices[i] = (unsigned)i * 2654435761u >> 20;
#if defined(__AVX2__) || defined(__AVX512F__)
    report("gather", "Gelem/s", gather);
#endif
#if defined(__AVX512F__)
    report("scatter", "Gelem/s", scatter);
#endif
    report("indexed_load", "Gelem/s", indexed_load);
    report("indexed_store", "Gelem/s", indexed_store);
    return 0;
}
