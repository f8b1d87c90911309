// One row for each work-group, with the collectives of the group.
!array = memref<?xf32>

spmd.kernel @layer_norm(%out: !array, %x: !array, %scale: !array, %shift: !array,
                        %columns: i32) {
  %c256 = arith.constant 256 : index
  %zero = arith.constant 0.0 : f32
  %epsilon = arith.constant 1.0e-5 : f32
  %n = arith.index_cast %columns : i32 to index
  %count = arith.sitofp %columns : i32 to f32
  %lid = spmd.local_id x
  %group = spmd.group_id x
  %row = arith.muli %group, %n : index
  %mine = scf.for %i = %lid to %n step %c256 iter_args(%s = %zero) -> (f32) {
    %at = arith.addi %row, %i : index
    %v = memref.load %x[%at] : !array
    %next = arith.addf %s, %v fastmath<fast> : f32
    scf.yield %next : f32
  }
  %sum = spmd.reduce add %mine across work_group : f32
  %mean = arith.divf %sum, %count fastmath<fast> : f32
  %squares = scf.for %i = %lid to %n step %c256 iter_args(%s = %zero) -> (f32) {
    %at = arith.addi %row, %i : index
    %v = memref.load %x[%at] : !array
    %away = arith.subf %v, %mean fastmath<fast> : f32
    %square = arith.mulf %away, %away fastmath<fast> : f32
    %next = arith.addf %s, %square fastmath<fast> : f32
    scf.yield %next : f32
  }
  %all = spmd.reduce add %squares across work_group : f32
  %variance = arith.divf %all, %count fastmath<fast> : f32
  %positive = arith.addf %variance, %epsilon fastmath<fast> : f32
  %inverse = math.rsqrt %positive fastmath<fast> : f32
  scf.for %i = %lid to %n step %c256 {
    %at = arith.addi %row, %i : index
    %v = memref.load %x[%at] : !array
    %away = arith.subf %v, %mean fastmath<fast> : f32
    %normal = arith.mulf %away, %inverse fastmath<fast> : f32
    %a = memref.load %scale[%i] : !array
    %b = memref.load %shift[%i] : !array
    %scaled = arith.mulf %normal, %a fastmath<fast> : f32
    %shifted = arith.addf %scaled, %b fastmath<fast> : f32
    memref.store %shifted, %out[%at] : !array
  }
  spmd.return
}
