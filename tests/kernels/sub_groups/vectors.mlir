// Vectors of a work-item's own, from one thing that lanes do together to the next.
spmd.kernel @vectors(%x: memref<?x4xi32>, %out: memref<?xi32>) {
  %gx = spmd.global_id x
  %gy = spmd.global_id y
  %gz = spmd.global_id z
  %nx = spmd.global_size x
  %ny = spmd.global_size y
  %layer = arith.muli %gz, %ny : index
  %row = arith.addi %layer, %gy : index
  %before = arith.muli %row, %nx : index
  %i = arith.addi %before, %gx : index
  %lid = spmd.local_id x
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %zeros = arith.constant dense<0> : vector<4xi32>
  %v = vector.load %x[%i, %c0] : memref<?x4xi32>, vector<4xi32>
  %s = memref.load %x[%i, %c1] : memref<?x4xi32>
  %m = arith.remui %lid, %c3 : index
  %odd = arith.cmpi eq, %m, %c1 : index
  %positive = arith.cmpi sgt, %v, %zeros : vector<4xi32>
  %bytes = arith.trunci %v : vector<4xi32> to vector<4xi8>
  %halves = arith.sitofp %bytes : vector<4xi8> to vector<4xf16>
  %all = spmd.reduce add %s across sub_group : i32
  %w, %t = scf.if %odd -> (vector<4xi32>, i32) {
    %sum = spmd.reduce xor %all across sub_group : i32
    %w1 = arith.addi %v, %v : vector<4xi32>
    scf.yield %w1, %sum : vector<4xi32>, i32
  } else {
    scf.yield %v, %s : vector<4xi32>, i32
  }
  %p, %h, %u = scf.index_switch %m -> vector<4xi1>, vector<4xf16>, i32
  case 0 {
    %sum = spmd.reduce add %t across sub_group : i32
    %not = arith.cmpi sle, %w, %zeros : vector<4xi32>
    scf.yield %not, %halves, %sum : vector<4xi1>, vector<4xf16>, i32
  }
  case 1 {
    %twice = arith.addf %halves, %halves : vector<4xf16>
    scf.yield %positive, %twice, %s : vector<4xi1>, vector<4xf16>, i32
  }
  default {
    scf.yield %positive, %halves, %t : vector<4xi1>, vector<4xf16>, i32
  }
  %a, %b, %k = scf.while (%a1 = %w, %b1 = %u, %k1 = %c0) : (vector<4xi32>, i32, index) -> (vector<4xi32>, i32, index) {
    %sum = spmd.reduce xor %b1 across sub_group : i32
    %more = arith.cmpi ult, %k1, %m : index
    scf.condition(%more) %a1, %sum, %k1 : vector<4xi32>, i32, index
  } do {
  ^bb0(%a2: vector<4xi32>, %b2: i32, %k2: index):
    %a3 = arith.addi %a2, %w : vector<4xi32>
    %k3 = arith.addi %k2, %c1 : index
    scf.yield %a3, %b2, %k3 : vector<4xi32>, i32, index
  }
  %picked = arith.select %p, %a, %v : vector<4xi1>, vector<4xi32>
  %numbers = arith.fptosi %h : vector<4xf16> to vector<4xi32>
  %both = arith.addi %picked, %numbers : vector<4xi32>
  %sum = vector.reduction <add>, %both : vector<4xi32> into i32
  %o = arith.addi %sum, %b : i32
  memref.store %o, %out[%i] : memref<?xi32>
  spmd.return
}
