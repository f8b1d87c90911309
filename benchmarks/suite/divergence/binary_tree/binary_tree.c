void search(const float *restrict label, const int *restrict left, const int *restrict right,
            const float *restrict q, int *restrict out, long n) {
    #pragma omp parallel for schedule(dynamic, 1024)
    for (long i = 0; i < n; i++) {
        int stack[64], top = 1, found = -1;
        float wanted = q[i];
        stack[0] = 0;
        while (top > 0) {
            int node = stack[--top];
            float here = label[node];
            if (here == wanted) {
                found = node;
                break;
            }
            if (wanted < here && left[node] > 0)
                stack[top++] = left[node];
            if (here < wanted && right[node] > 0)
                stack[top++] = right[node];
        }
        out[i] = found;
    }
}
