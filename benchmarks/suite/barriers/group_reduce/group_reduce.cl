// ROUNDS group reductions: v <- v/2 + mean(v)/2. BUILTIN=1 uses the OpenCL 2.0 collective.
kernel void group_reduce(global float *out, global const float *in, int repeats) {
    local float s[256];
    int lid = get_local_id(0);
    float v = in[get_global_id(0)];
    for (int r = 0; r < repeats; r++) {
#if BUILTIN
        float sum = work_group_reduce_add(v);
#else
        s[lid] = v;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int half_size = 128; half_size > 0; half_size /= 2) {
            if (lid < half_size)
                s[lid] += s[lid + half_size];
            barrier(CLK_LOCAL_MEM_FENCE);
        }
        float sum = s[0];
        barrier(CLK_LOCAL_MEM_FENCE);
#endif
        v = 0.5f * v + (0.5f / 256.0f) * sum;
    }
    out[get_global_id(0)] = v;
}
