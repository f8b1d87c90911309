// The five stream kernels; with BARRIER=1 a work-group barrier separates the loads from the store.
#if BARRIER
#define SYNC barrier(CLK_LOCAL_MEM_FENCE)
#else
#define SYNC
#endif
kernel void copy(global double *a, global double *b, global double *c) {
    size_t i = get_global_id(0);
    double v = a[i];
    SYNC;
    c[i] = v;
}
kernel void mul(global double *a, global double *b, global double *c) {
    size_t i = get_global_id(0);
    double v = 0.4 * c[i];
    SYNC;
    b[i] = v;
}
kernel void add(global double *a, global double *b, global double *c) {
    size_t i = get_global_id(0);
    double v = a[i] + b[i];
    SYNC;
    c[i] = v;
}
kernel void triad(global double *a, global double *b, global double *c) {
    size_t i = get_global_id(0);
    double v = b[i] + 0.4 * c[i];
    SYNC;
    a[i] = v;
}
kernel void dot_product(global double *a, global double *b, global double *partial, ulong n) {
    local double s[256];
    int lid = get_local_id(0);
    double sum = 0.0;
    for (size_t i = get_global_id(0); i < n; i += get_global_size(0))
        sum += a[i] * b[i];
    s[lid] = sum;
    for (int half_size = get_local_size(0) / 2; half_size > 0; half_size /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lid < half_size)
            s[lid] += s[lid + half_size];
    }
    if (lid == 0)
        partial[get_group_id(0)] = s[0];
}
