// Points of a 2-D k-d tree in heap order that are within a radius; a stack per work-item.
kernel void point_correlation(global int *count, global const float *qx, global const float *qy,
                              global const float *px, global const float *py,
                              global const float *radius2, int n) {
    int stack[64];
    size_t i = get_global_id(0);
    float x = qx[i], y = qy[i], limit = radius2[0];
    int top = 1, found = 0;
    stack[0] = 0;
    while (top > 0) {
        int node = stack[--top];
        float dx = x - px[node], dy = y - py[node];
        found += dx * dx + dy * dy <= limit;
        int level = 31 - clz(node + 1);
        float difference = (level & 1) ? dy : dx;
        int right = difference > 0.0f;
        int near = 2 * node + 1 + right, far = 2 * node + 2 - right;
        if (far < n && difference * difference <= limit)
            stack[top++] = far;
        if (near < n)
            stack[top++] = near;
    }
    count[i] = found;
}
