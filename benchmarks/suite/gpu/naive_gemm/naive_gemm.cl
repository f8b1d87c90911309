// One element of C = A * B for each work-item.
kernel void naive_gemm(global float *C, global const float *A, global const float *B, int n) {
    int x = get_global_id(0), y = get_global_id(1);
    float sum = 0.0f;
    for (int k = 0; k < n; k++)
        sum += A[y * n + k] * B[k * n + x];
    C[y * n + x] = sum;
}
