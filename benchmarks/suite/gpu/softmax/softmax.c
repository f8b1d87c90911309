#include <math.h>
void softmax(float *restrict out, const float *restrict x, long columns, long rows) {
    #pragma omp parallel for
    for (long r = 0; r < rows; r++) {
        const float *from = x + r * columns;
        float *to = out + r * columns, highest = from[0], total = 0.0f;
        for (long i = 0; i < columns; i++)
            highest = from[i] > highest ? from[i] : highest;
        #pragma omp simd reduction(+ : total)
        for (long i = 0; i < columns; i++) {
            to[i] = expf(from[i] - highest);
            total += to[i];
        }
        float share = 1.0f / total;
        for (long i = 0; i < columns; i++)
            to[i] *= share;
    }
}
