// Tree reduction of one group in local memory: a barrier inside a loop.
kernel void reduction(global T *partial, global const T *x) {
    local T s[256];
    int lid = get_local_id(0);
    s[lid] = x[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int half_size = get_local_size(0) / 2; half_size > 0; half_size /= 2) {
        if (lid < half_size)
            s[lid] += s[lid + half_size];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (lid == 0)
        partial[get_group_id(0)] = s[0];
}
