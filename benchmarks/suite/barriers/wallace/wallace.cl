// Wallace-style random numbers: a pool of 1024 values per group in local memory; every round
// permutes it (a linear congruence) and mixes four values with an orthonormal 4x4 matrix.
kernel void wallace(global float *out, global const float *seed, int repeats) {
    local float pool[1024];
    int lid = get_local_id(0), group = get_group_id(0);
    for (int j = 0; j < 4; j++)
        pool[lid + 256 * j] = seed[group * 1024 + lid + 256 * j];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int r = 0; r < repeats; r++) {
        int at = lid * 4 * 293 + r * 77;
        float p = pool[at & 1023];
        float q = pool[(at + 293) & 1023];
        float u = pool[(at + 586) & 1023];
        float v = pool[(at + 879) & 1023];
        barrier(CLK_LOCAL_MEM_FENCE);
        float t = 0.5f * (p + q + u + v);
        pool[lid] = p - t;
        pool[lid + 256] = q - t;
        pool[lid + 512] = t - u;
        pool[lid + 768] = t - v;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int j = 0; j < 4; j++)
            out[(group * repeats + r) * 1024 + lid + 256 * j] = pool[lid + 256 * j];
    }
}
