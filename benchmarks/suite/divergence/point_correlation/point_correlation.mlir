// Points of a 2-D k-d tree in heap order that are within a radius; a stack per work-item.
!array = memref<?xf32>
!stack = memref<64xi32>

spmd.kernel @point_correlation(%count: memref<?xi32>, %qx: !array, %qy: !array, %px: !array,
                               %py: !array, %radius2: !array, %n: i32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %i2 = arith.constant 2 : i32
  %i31 = arith.constant 31 : i32
  %zero = arith.constant 0.0 : f32
  %stack = memref.alloca() : !stack
  %i = spmd.global_id x
  %x = memref.load %qx[%i] : !array
  %y = memref.load %qy[%i] : !array
  %limit = memref.load %radius2[%c0] : !array
  memref.store %i0, %stack[%c0] : !stack
  %end, %result = scf.while (%top = %c1, %found = %i0) : (index, i32) -> (index, i32) {
    %more = arith.cmpi ugt, %top, %c0 : index
    scf.condition(%more) %top, %found : index, i32
  } do {
  ^bb0(%top: index, %found: i32):
    %pop = arith.subi %top, %c1 : index
    %node = memref.load %stack[%pop] : !stack
    %at = arith.index_cast %node : i32 to index
    %nx = memref.load %px[%at] : !array
    %ny = memref.load %py[%at] : !array
    %dx = arith.subf %x, %nx fastmath<fast> : f32
    %dy = arith.subf %y, %ny fastmath<fast> : f32
    %dx2 = arith.mulf %dx, %dx fastmath<fast> : f32
    %dy2 = arith.mulf %dy, %dy fastmath<fast> : f32
    %d2 = arith.addf %dx2, %dy2 fastmath<fast> : f32
    %inside = arith.cmpf ole, %d2, %limit : f32
    %one = arith.extui %inside : i1 to i32
    %found1 = arith.addi %found, %one : i32
    %rank = arith.addi %node, %i1 : i32
    %zeros = math.ctlz %rank : i32
    %level = arith.subi %i31, %zeros : i32
    %bit = arith.andi %level, %i1 : i32
    %by_y = arith.cmpi ne, %bit, %i0 : i32
    %difference = arith.select %by_y, %dy, %dx : f32
    %positive = arith.cmpf ogt, %difference, %zero : f32
    %right = arith.extui %positive : i1 to i32
    %twice = arith.muli %node, %i2 : i32
    %twice1 = arith.addi %twice, %i1 : i32
    %twice2 = arith.addi %twice, %i2 : i32
    %near = arith.addi %twice1, %right : i32
    %far = arith.subi %twice2, %right : i32
    %far_exists = arith.cmpi slt, %far, %n : i32
    %difference2 = arith.mulf %difference, %difference fastmath<fast> : f32
    %reaches = arith.cmpf ole, %difference2, %limit : f32
    %push_far = arith.andi %far_exists, %reaches : i1
    %top1 = scf.if %push_far -> (index) {
      memref.store %far, %stack[%pop] : !stack
      scf.yield %top : index
    } else {
      scf.yield %pop : index
    }
    %push_near = arith.cmpi slt, %near, %n : i32
    %top2 = scf.if %push_near -> (index) {
      memref.store %near, %stack[%top1] : !stack
      %up = arith.addi %top1, %c1 : index
      scf.yield %up : index
    } else {
      scf.yield %top1 : index
    }
    scf.yield %top2, %found1 : index, i32
  }
  memref.store %result, %count[%i] : memref<?xi32>
  spmd.return
}
