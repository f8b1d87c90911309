// 2:1: 'spmd.kernel': argument 0: expected spmd.noalias, spmd.small, spmd.streamed or an attribute with the prefix of another dialect, got noalias; did you mean spmd.noalias?
spmd.kernel @k(%x: memref<?xf32> {noalias}) {
  spmd.return
}
