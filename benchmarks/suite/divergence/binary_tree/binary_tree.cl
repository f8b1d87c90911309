// Each work-item searches with a stack of its own; the kernels in MLIR share one per sub-group.
kernel void search(global const float *label, global const int *left, global const int *right,
                   global const float *q, global int *out) {
    int stack[64];
    size_t i = get_global_id(0);
    float wanted = q[i];
    int top = 1, found = -1;
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
