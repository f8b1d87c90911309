// Relax every pair through node k.
kernel void floyd_warshall(global uint *distance, global uint *path, int n, int k) {
    int x = get_global_id(0), y = get_global_id(1);
    uint old = distance[y * n + x];
    uint via = distance[y * n + k] + distance[k * n + x];
    if (via < old) {
        distance[y * n + x] = via;
        path[y * n + x] = k;
    }
}
