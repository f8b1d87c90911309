#include <math.h>
void layer_norm(float *restrict out, const float *restrict x, const float *restrict scale,
                const float *restrict shift, long columns, long rows) {
    #pragma omp parallel for
    for (long r = 0; r < rows; r++) {
        const float *from = x + r * columns;
        float *to = out + r * columns, sum = 0.0f, squares = 0.0f;
        for (long i = 0; i < columns; i++)
            sum += from[i];
        float mean = sum / columns;
        for (long i = 0; i < columns; i++)
            squares += (from[i] - mean) * (from[i] - mean);
        float inverse = 1.0f / sqrtf(squares / columns + 1e-5f);
        for (long i = 0; i < columns; i++)
            to[i] = (from[i] - mean) * inverse * scale[i] + shift[i];
    }
}
