kernel void barrier_regions(global int *a, global int *b) {
    size_t id = get_global_id(0);
    a[id] += 4;
    barrier(CLK_GLOBAL_MEM_FENCE);
    b[id] += 4;
}
