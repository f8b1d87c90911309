kernel void stencil5(global float *out, global const float *in, int n) {
    int x = get_global_id(0), y = get_global_id(1);
    if (x == 0 || y == 0 || x == n - 1 || y == n - 1)
        return;
    int c = y * n + x;
    out[c] = 0.5f * in[c] + 0.125f * (in[c - 1] + in[c + 1] + in[c - n] + in[c + n]);
}

kernel void stencil9(global double *out, global const double *in, int n) {
    int x = get_global_id(0), y = get_global_id(1);
    if (x == 0 || y == 0 || x == n - 1 || y == n - 1)
        return;
    int c = y * n + x;
    double above = in[c - n - 1] + in[c - n] + in[c - n + 1];
    double below = in[c + n - 1] + in[c + n] + in[c + n + 1];
    out[c] = (above + in[c - 1] + in[c] + in[c + 1] + below) * (1.0 / 9.0);
}
