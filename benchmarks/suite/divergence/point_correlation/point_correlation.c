void point_correlation(int *restrict count, const float *restrict qx, const float *restrict qy,
                       const float *restrict px, const float *restrict py,
                       const float *restrict radius2, long n, long queries) {
    #pragma omp parallel for schedule(dynamic, 1024)
    for (long i = 0; i < queries; i++) {
        int stack[64], top = 1, found = 0;
        float x = qx[i], y = qy[i], limit = radius2[0];
        stack[0] = 0;
        while (top > 0) {
            int node = stack[--top];
            float dx = x - px[node], dy = y - py[node];
            found += dx * dx + dy * dy <= limit;
            int level = 31 - __builtin_clz(node + 1);
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
}
