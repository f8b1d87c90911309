// 2:35: expected a '"' at the end of the string, got the end of the line
spmd.kernel @k(%x: memref<?xf32>) "a string that begins here and is so long that exponential time is noticed
  spmd.return
}
