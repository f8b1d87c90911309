// A matrix product through tiles and a sum, as files for GPUs have them.
module attributes {gpu.container_module} {
  // c = a b: each group of 16x16 computes a tile of c from tiles of a and b.
  func.func @product(%a: memref<?x?xf32>, %b: memref<?x?xf32>, %c: memref<?x?xf32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %rows = memref.dim %c, %c0 : memref<?x?xf32>
    %columns = memref.dim %c, %c1 : memref<?x?xf32>
    %depth = memref.dim %a, %c1 : memref<?x?xf32>
    %groups_x = arith.ceildivui %columns, %c16 : index
    %groups_y = arith.ceildivui %rows, %c16 : index
    gpu.launch blocks(%bx, %by, %bz) in (%gx = %groups_x, %gy = %groups_y, %gz = %c1)
               threads(%tx, %ty, %tz) in (%nx = %c16, %ny = %c16, %nz = %c1)
               workgroup(%tile_a: memref<16x16xf32, #gpu.address_space<workgroup>>,
                         %tile_b: memref<16x16xf32, #gpu.address_space<workgroup>>) {
      %zero = arith.constant 0.0 : f32
      %first_row = arith.muli %by, %c16 : index
      %row = arith.addi %first_row, %ty : index
      %first_column = arith.muli %bx, %c16 : index
      %column = arith.addi %first_column, %tx : index
      %row_is_there = arith.cmpi ult, %row, %rows : index
      %column_is_there = arith.cmpi ult, %column, %columns : index
      %sum = scf.for %k = %c0 to %depth step %c16 iter_args(%acc = %zero) -> (f32) {
        %k_a = arith.addi %k, %tx : index
        %k_a_is_there = arith.cmpi ult, %k_a, %depth : index
        %a_is_there = arith.andi %row_is_there, %k_a_is_there : i1
        %v_a = scf.if %a_is_there -> (f32) {
          %v = memref.load %a[%row, %k_a] : memref<?x?xf32>
          scf.yield %v : f32
        } else {
          scf.yield %zero : f32
        }
        memref.store %v_a, %tile_a[%ty, %tx] : memref<16x16xf32, #gpu.address_space<workgroup>>
        %k_b = arith.addi %k, %ty : index
        %k_b_is_there = arith.cmpi ult, %k_b, %depth : index
        %b_is_there = arith.andi %column_is_there, %k_b_is_there : i1
        %v_b = scf.if %b_is_there -> (f32) {
          %v = memref.load %b[%k_b, %column] : memref<?x?xf32>
          scf.yield %v : f32
        } else {
          scf.yield %zero : f32
        }
        memref.store %v_b, %tile_b[%ty, %tx] : memref<16x16xf32, #gpu.address_space<workgroup>>
        gpu.barrier
        %next = scf.for %i = %c0 to %c16 step %c1 iter_args(%inner = %acc) -> (f32) {
          %x = memref.load %tile_a[%ty, %i] : memref<16x16xf32, #gpu.address_space<workgroup>>
          %y = memref.load %tile_b[%i, %tx] : memref<16x16xf32, #gpu.address_space<workgroup>>
          %xy = arith.mulf %x, %y : f32
          %more = arith.addf %inner, %xy : f32
          scf.yield %more : f32
        }
        gpu.barrier
        scf.yield %next : f32
      }
      %is_there = arith.andi %row_is_there, %column_is_there : i1
      scf.if %is_there {
        memref.store %sum, %c[%row, %column] : memref<?x?xf32>
      }
      gpu.terminator
    }
    return
  }

  // out[0] = the sum of x: each group reduces a part, and one group what they have found.
  func.func @sum(%x: memref<?xf64>, %out: memref<1xf64>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c256 = arith.constant 256 : index
    %size = memref.dim %x, %c0 : memref<?xf64>
    %partial, %t0 = gpu.alloc async () : memref<256xf64>
    %t1 = gpu.launch_func async [%t0] @kernels::@sum_of_groups blocks in (%c256, %c1, %c1)
        threads in (%c256, %c1, %c1) args(%x : memref<?xf64>, %size : index, %partial : memref<256xf64>)
    %t2 = gpu.launch_func async [%t1] @kernels::@sum_of_group blocks in (%c1, %c1, %c1)
        threads in (%c256, %c1, %c1) args(%partial : memref<256xf64>, %out : memref<1xf64>)
    %t3 = gpu.dealloc async [%t2] %partial : memref<256xf64>
    gpu.wait [%t3]
    return
  }

  gpu.module @kernels {
    gpu.func @sum_of_groups(%x: memref<?xf64>, %size: index, %partial: memref<256xf64>) kernel
        attributes {gpu.known_block_size = array<i32: 256, 1, 1>} {
      %zero = arith.constant 0.0 : f64
      %i = gpu.global_id x
      %group = gpu.block_id x
      %groups = gpu.grid_dim x
      %items = gpu.block_dim x
      %step = arith.muli %groups, %items : index
      %mine = scf.for %k = %i to %size step %step iter_args(%acc = %zero) -> (f64) {
        %v = memref.load %x[%k] : memref<?xf64>
        %more = arith.addf %acc, %v : f64
        scf.yield %more : f64
      }
      %all = gpu.all_reduce add %mine uniform {} : (f64) -> f64
      memref.store %all, %partial[%group] : memref<256xf64>
      gpu.return
    }
    gpu.func @sum_of_group(%x: memref<256xf64>, %out: memref<1xf64>) kernel
        attributes {gpu.known_block_size = array<i32: 256, 1, 1>} {
      %c0 = arith.constant 0 : index
      %i = gpu.thread_id x
      %v = memref.load %x[%i] : memref<256xf64>
      %all = gpu.all_reduce add %v uniform {} : (f64) -> f64
      memref.store %all, %out[%c0] : memref<1xf64>
      gpu.return
    }
  }
}
