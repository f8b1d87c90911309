// Every work-item owns 256 byte counters in local memory, then the group adds them up.
kernel void histogram_private(global uint *bins, global const uint *data) {
    local uchar counters[128 * 256];
    int lid = get_local_id(0), group = get_group_id(0);
    for (int b = 0; b < 256; b++)
        counters[b * 128 + lid] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = 0; i < 128; i++) {
        int value = data[group * 16384 + i * 128 + lid];
        counters[value * 128 + lid]++;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int b = lid; b < 256; b += 128) {
        uint sum = 0;
        for (int i = 0; i < 128; i++)
            sum += counters[b * 128 + i];
        atomic_add(&bins[b], sum);
    }
}

// Counters of the group in local memory, which its work-items add to atomically.
kernel void histogram_atomic(global uint *bins, global const uint *data) {
    local uint counters[256];
    int lid = get_local_id(0), group = get_group_id(0);
    counters[lid] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = 0; i < 64; i++)
        atomic_inc(&counters[data[group * 16384 + i * 256 + lid]]);
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_add(&bins[lid], counters[lid]);
}
