// Branches and loops in each other; uniform ones under masks.
spmd.kernel @nested(%t: index, %x: memref<?xi32>, %out: memref<?xi32>) {
  %gx = spmd.global_id x
  %gy = spmd.global_id y
  %gz = spmd.global_id z
  %nx = spmd.global_size x
  %ny = spmd.global_size y
  %layer = arith.muli %gz, %ny : index
  %row = arith.addi %layer, %gy : index
  %before = arith.muli %row, %nx : index
  %i = arith.addi %before, %gx : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %three = arith.constant 3 : i32
  %v = memref.load %x[%i] : memref<?xi32>
  %low = arith.andi %v, %three : i32
  %case = arith.index_cast %low : i32 to index
  %bit = arith.andi %v, %one : i32
  %odd = arith.cmpi eq, %bit, %one : i32
  %r = scf.index_switch %case -> i32
  case 0 {
    %s = spmd.scan inclusive add %v across sub_group : i32
    scf.yield %s : i32
  }
  case 1 {
    %s = scf.for %k = %c0 to %t step %c1 iter_args(%a = %v) -> (i32) {
      %m = spmd.reduce xor %a across sub_group : i32
      %kk = arith.index_cast %k : index to i32
      %b = arith.addi %m, %kk : i32
      %w = arith.addi %b, %v : i32
      scf.yield %w : i32
    }
    scf.yield %s : i32
  }
  default {
    %positive = arith.cmpi sgt, %v, %zero : i32
    %s = scf.if %positive -> (i32) {
      %p = spmd.reduce minui %v across sub_group : i32
      %many = arith.cmpi ugt, %p, %three : i32
      %u = scf.if %many -> (i32) {
        %e = spmd.scan exclusive max %v across sub_group : i32
        scf.yield %e : i32
      } else {
        scf.yield %p : i32
      }
      scf.yield %u : i32
    } else {
      %p = spmd.scan exclusive add %one across sub_group : i32
      scf.yield %p : i32
    }
    %both = spmd.reduce add %s across sub_group : i32
    scf.yield %both : i32
  }
  %first = spmd.elect
  %f = arith.select %first, %one, %zero : i32
  %sum = arith.addi %r, %f : i32
  memref.store %sum, %out[%i] : memref<?xi32>
  spmd.return
}
