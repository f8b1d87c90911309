kernel void vector_add(global int *c, global const int *a, global const int *b) {
    size_t id = get_global_id(0);
    c[id] = a[id] + b[id];
}
