// One row for each work-group, with the collectives of OpenCL 2.0.
kernel void layer_norm(global float *out, global const float *x, global const float *scale,
                       global const float *shift, int columns) {
    int lid = get_local_id(0), row = get_group_id(0) * columns;
    float sum = 0.0f;
    for (int i = lid; i < columns; i += 256)
        sum += x[row + i];
    float mean = work_group_reduce_add(sum) / columns;
    float squares = 0.0f;
    for (int i = lid; i < columns; i += 256) {
        float away = x[row + i] - mean;
        squares += away * away;
    }
    float inverse = rsqrt(work_group_reduce_add(squares) / columns + 1e-5f);
    for (int i = lid; i < columns; i += 256)
        out[row + i] = (x[row + i] - mean) * inverse * scale[i] + shift[i];
}
