// One row for each work-group: its maximum and its sum by trees in local memory.
kernel void softmax(global float *out, global const float *x, int columns) {
    local float s[256];
    int lid = get_local_id(0), row = get_group_id(0) * columns;
    float highest = -INFINITY;
    for (int i = lid; i < columns; i += 256)
        highest = fmax(highest, x[row + i]);
    s[lid] = highest;
    for (int width = 128; width > 0; width /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lid < width)
            s[lid] = fmax(s[lid], s[lid + width]);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    highest = s[0];
    barrier(CLK_LOCAL_MEM_FENCE);
    float total = 0.0f;
    for (int i = lid; i < columns; i += 256) {
        float e = exp(x[row + i] - highest);
        out[row + i] = e;
        total += e;
    }
    s[lid] = total;
    for (int width = 128; width > 0; width /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lid < width)
            s[lid] += s[lid + width];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    float share = 1.0f / s[0];
    for (int i = lid; i < columns; i += 256)
        out[row + i] *= share;
}
