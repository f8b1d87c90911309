// Macroscopic cross sections: binary search in the unionised energy grid, then for every nuclide
// of the material a gather of two grid points and a linear interpolation of five channels.
kernel void xsbench(global double *out, global const double *energy, global const int *material,
                    global const double *grid, global const int *index,
                    global const double *nuclide_energy, global const double *xs,
                    global const int *mat_start, global const int *mat_nuclide,
                    global const double *mat_density, int n_grid, int n_nuclides, int n_points) {
    size_t i = get_global_id(0);
    double e = energy[i];
    int lo = 0, hi = n_grid - 1;
    while (hi - lo > 1) {
        int mid = lo + (hi - lo) / 2;
        if (grid[mid] > e)
            hi = mid;
        else
            lo = mid;
    }
    double s0 = 0, s1 = 0, s2 = 0, s3 = 0, s4 = 0;
    int m = material[i];
    for (int j = mat_start[m]; j < mat_start[m + 1]; j++) {
        int nuc = mat_nuclide[j];
        int at = nuc * n_points + index[lo * n_nuclides + nuc];
        double e0 = nuclide_energy[at], e1 = nuclide_energy[at + 1];
        double f = (e1 - e) / (e1 - e0), d = mat_density[j];
        global const double *a = xs + (size_t)at * 5, *b = a + 5;
        s0 += d * (b[0] - f * (b[0] - a[0]));
        s1 += d * (b[1] - f * (b[1] - a[1]));
        s2 += d * (b[2] - f * (b[2] - a[2]));
        s3 += d * (b[3] - f * (b[3] - a[3]));
        s4 += d * (b[4] - f * (b[4] - a[4]));
    }
    out[i * 5 + 0] = s0;
    out[i * 5 + 1] = s1;
    out[i * 5 + 2] = s2;
    out[i * 5 + 3] = s3;
    out[i * 5 + 4] = s4;
}
