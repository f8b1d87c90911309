// C = A * B, square matrices, 16x16 tiles of A and B staged in local memory.
kernel void gemm(global T *C, global const T *A, global const T *B, int n) {
    local T ta[16][16], tb[16][16];
    int lx = get_local_id(0), ly = get_local_id(1);
    int x = get_global_id(0), y = get_global_id(1);
    T acc = 0;
    for (int t = 0; t < n; t += 16) {
        ta[ly][lx] = A[y * n + t + lx];
        tb[ly][lx] = B[(t + ly) * n + x];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < 16; k++)
            acc += ta[ly][k] * tb[k][lx];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    C[y * n + x] = acc;
}
