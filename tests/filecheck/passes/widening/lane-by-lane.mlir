// RUN: xdsl-opt %s -p widen-sub-groups --split-input-file | filecheck %s

// What has no vector form runs in a loop over the lanes around it alone.

// CHECK-LABEL: func.func @all_lanes
// CHECK:          %old_lanes = memref.alloca() {alignment = 64 : i64} : memref<4xf32>
// CHECK-NEXT:     %v_lanes = memref.alloca() {alignment = 64 : i64} : memref<4xf32>
// CHECK-NEXT:     %bin_lanes = memref.alloca() {alignment = 64 : i64} : memref<4xindex>
// CHECK-NEXT:     %v = vector.load %x[%first] : memref<?xf32>, vector<4xf32>
// CHECK-NEXT:     %bin = vector.load %b[%first] : memref<?xindex>, vector<4xindex>
// CHECK-NEXT:     vector.store %bin, %bin_lanes[%c0] : memref<4xindex>, vector<4xindex>
// CHECK-NEXT:     vector.store %v, %v_lanes[%c0] : memref<4xf32>, vector<4xf32>
// CHECK-NEXT:     scf.for %lane = %c0 to %c4 step %c1 {
// CHECK-NEXT:       %v_1 = memref.load %v_lanes[%lane] : memref<4xf32>
// CHECK-NEXT:       %bin_1 = memref.load %bin_lanes[%lane] : memref<4xindex>
// CHECK-NEXT:       %old = spmd.atomic_rmw add %v_1, %h[%bin_1] : memref<?xf32>
// CHECK-NEXT:       memref.store %old, %old_lanes[%lane] : memref<4xf32>
// CHECK-NEXT:     } {spmd.access = "lane by lane", spmd.why = "spmd.atomic_rmw has no vector form, as sums of floats depend on the order"}
// CHECK-NEXT:     %old_1 = vector.load %old_lanes[%c0] : memref<4xf32>, vector<4xf32>
// CHECK-NEXT:     %w = arith.addf %old_1, %v : vector<4xf32>
// CHECK-NEXT:     vector.store %w, %x[%first] : memref<?xf32>, vector<4xf32>
func.func @all_lanes(%x: memref<?xf32>, %h: memref<?xf32>, %b: memref<?xindex>, %first: index) {
  spmd.sub_group (%i) shape [4] at (%first) {
    %v = memref.load %x[%i] : memref<?xf32>
    %bin = memref.load %b[%i] : memref<?xindex>
    %old = spmd.atomic_rmw add %v, %h[%bin] : memref<?xf32>
    %w = arith.addf %old, %v : f32
    memref.store %w, %x[%i] : memref<?xf32>
  }
  func.return
}

// -----

// Under a mask only the lanes that are active; that may be all of them.

// CHECK-LABEL: func.func @some_lanes
// CHECK:          %won_lanes = memref.alloca() {alignment = 64 : i64} : memref<4xi8>
// CHECK-NEXT:     %old_lanes = memref.alloca() {alignment = 64 : i64} : memref<4xi32>
// CHECK-NEXT:     %v_lanes = memref.alloca() {alignment = 64 : i64} : memref<4xi32>
// CHECK-NEXT:     %w_lanes = memref.alloca() {alignment = 64 : i64} : memref<4xi32>
// CHECK-NEXT:     %v = vector.load %x[%first] : memref<?xi32>, vector<4xi32>
// CHECK-NEXT:     %w = vector.load %m[%first] : memref<?xi32>, vector<4xi32>
// CHECK-NEXT:     %on = arith.cmpi ne, %w, %c0_i32_lanes : vector<4xi32>
// CHECK-NEXT:     vector.store %w, %w_lanes[%c0] : memref<4xi32>, vector<4xi32>
// CHECK-NEXT:     vector.store %v, %v_lanes[%c0] : memref<4xi32>, vector<4xi32>
// CHECK-NEXT:     %0 = vector.bitcast %on : vector<4xi1> to vector<1xi4>
// CHECK-NEXT:     %1 = vector.extract %0[0] : i4 from vector<1xi4>
// CHECK-NEXT:     %2 = arith.extui %1 : i4 to i64
// CHECK-NEXT:     %full = arith.cmpi eq, %2, %c15_i64 : i64
// CHECK-NEXT:     scf.if %full {
// CHECK-NEXT:       scf.for %lane = %c0 to %c4 step %c1 {
// CHECK-NEXT:         %v_1 = memref.load %v_lanes[%lane] : memref<4xi32>
// CHECK-NEXT:         %w_1 = memref.load %w_lanes[%lane] : memref<4xi32>
// CHECK-NEXT:         %i = arith.addi %first, %lane : index
// CHECK-NEXT:         %old, %won = spmd.atomic_cas %v_1, %w_1, %h[%i] : memref<?xi32>
// CHECK-NEXT:         memref.store %old, %old_lanes[%lane] : memref<4xi32>
// CHECK-NEXT:         %3 = arith.extui %won : i1 to i8
// CHECK-NEXT:         memref.store %3, %won_lanes[%lane] : memref<4xi8>
// CHECK-NEXT:       }
// CHECK-NEXT:     } else {
// CHECK-NEXT:       %4 = scf.while (%rest = %2) : (i64) -> i64 {
// CHECK-NEXT:         %5 = arith.cmpi ne, %rest, %c0_i64 : i64
// CHECK-NEXT:         scf.condition(%5) %rest : i64
// CHECK-NEXT:       } do {
// CHECK-NEXT:       ^bb0(%rest_1: i64):
// CHECK-NEXT:         %6 = math.cttz %rest_1 : i64
// CHECK-NEXT:         %lane_1 = arith.index_cast %6 : i64 to index
// CHECK-NEXT:         %v_2 = memref.load %v_lanes[%lane_1] : memref<4xi32>
// CHECK-NEXT:         %w_2 = memref.load %w_lanes[%lane_1] : memref<4xi32>
// CHECK-NEXT:         %i_1 = arith.addi %first, %lane_1 : index
// CHECK-NEXT:         %old_1, %won_1 = spmd.atomic_cas %v_2, %w_2, %h[%i_1] : memref<?xi32>
// CHECK-NEXT:         memref.store %old_1, %old_lanes[%lane_1] : memref<4xi32>
// CHECK-NEXT:         %7 = arith.extui %won_1 : i1 to i8
// CHECK-NEXT:         memref.store %7, %won_lanes[%lane_1] : memref<4xi8>
// CHECK-NEXT:         %8 = arith.subi %rest_1, %c1_i64 : i64
// CHECK-NEXT:         %9 = arith.andi %rest_1, %8 : i64
// CHECK-NEXT:         scf.yield %9 : i64
// CHECK-NEXT:       }
// CHECK-NEXT:     }{spmd.access = "lane by lane", spmd.why = "spmd.atomic_cas has no vector form"}
// CHECK-NEXT:     %old_2 = vector.load %old_lanes[%c0] : memref<4xi32>, vector<4xi32>
// CHECK-NEXT:     %10 = vector.load %won_lanes[%c0] : memref<4xi8>, vector<4xi8>
// CHECK-NEXT:     %won_2 = arith.trunci %10 : vector<4xi8> to vector<4xi1>
// CHECK-NEXT:     %new = arith.select %won_2, %v, %old_2 : vector<4xi1>, vector<4xi32>
// CHECK-NEXT:     vector.maskedstore %x[%first], %on, %new : memref<?xi32>, vector<4xi1>, vector<4xi32>
func.func @some_lanes(%x: memref<?xi32>, %h: memref<?xi32>, %m: memref<?xi32>, %first: index) {
  %c0_i32 = arith.constant 0 : i32
  spmd.sub_group (%i) shape [4] at (%first) {
    %v = memref.load %x[%i] : memref<?xi32>
    %w = memref.load %m[%i] : memref<?xi32>
    %on = arith.cmpi ne, %w, %c0_i32 : i32
    spmd.masked %on {
      %old, %won = spmd.atomic_cas %v, %w, %h[%i] : memref<?xi32>
      %new = arith.select %won, %v, %old : i32
      memref.store %new, %x[%i] : memref<?xi32>
    }
  }
  func.return
}

// -----

// All lanes update one element: once, with what they come to together.

// CHECK-LABEL: func.func @combined
// CHECK:          %on = vector.create_mask %count : vector<4xi1>
// CHECK-NEXT:     %v = vector.maskedload %x[%first], %on, %zeros : memref<?xi32>, vector<4xi1>, vector<4xi32> into vector<4xi32>
// CHECK-NEXT:     %0 = arith.cmpi sgt, %count, %c0 : index
// CHECK-NEXT:     scf.if %0 {
// CHECK-NEXT:       %1 = arith.select %on, %v, %cm2147483648_lanes : vector<4xi1>, vector<4xi32>
// CHECK-NEXT:       %v_1 = vector.reduction <maxsi>, %1 : vector<4xi32> into i32
// CHECK-NEXT:       %unused = spmd.atomic_rmw max %v_1, %n[] : memref<i32>
// CHECK-NEXT:     }
// CHECK-NEXT:     %2 = arith.cmpi sgt, %count, %c0 : index
// CHECK-NEXT:     %old = scf.if %2 -> (vector<4xi32>) {
// CHECK-NEXT:       %3 = arith.select %on, %v, %zeros : vector<4xi1>, vector<4xi32>
// CHECK-NEXT:       %v_2 = vector.reduction <add>, %3 : vector<4xi32> into i32
// CHECK-NEXT:       %old_1 = spmd.atomic_rmw sub %v_2, %n[] : memref<i32>
// CHECK-NEXT:       %old_lanes = vector.broadcast %old_1 : i32 to vector<4xi32>
// CHECK-NEXT:       %4 = vector.shuffle %3, %zeros [4, 0, 1, 2] : vector<4xi32>, vector<4xi32>
// CHECK-NEXT:       %5 = vector.shuffle %4, %zeros [4, 0, 1, 2] : vector<4xi32>, vector<4xi32>
// CHECK-NEXT:       %6 = arith.addi %5, %4 : vector<4xi32>
// CHECK-NEXT:       %7 = vector.shuffle %6, %zeros [4, 4, 0, 1] : vector<4xi32>, vector<4xi32>
// CHECK-NEXT:       %8 = arith.addi %7, %6 : vector<4xi32>
// CHECK-NEXT:       %9 = arith.subi %old_lanes, %8 : vector<4xi32>
// CHECK-NEXT:       scf.yield %9 : vector<4xi32>
// CHECK-NEXT:     } else {
// CHECK-NEXT:       scf.yield %zeros : vector<4xi32>
// CHECK-NEXT:     }
// CHECK-NEXT:     vector.maskedstore %x[%first], %on, %old : memref<?xi32>, vector<4xi1>, vector<4xi32>
func.func @combined(%x: memref<?xi32>, %n: memref<i32>, %count: index, %first: index) {
  spmd.sub_group (%i) shape [4] at (%first) {
    %lane = spmd.lane_id
    %on = arith.cmpi slt, %lane, %count : index
    spmd.masked %on {
      %v = memref.load %x[%i] : memref<?xi32>
      %unused = spmd.atomic_rmw max %v, %n[] : memref<i32>
      %old = spmd.atomic_rmw sub %v, %n[] : memref<i32>
      memref.store %old, %x[%i] : memref<?xi32>
    }
  }
  func.return
}

// -----

// A part of a private array that an op takes as a whole is that of one lane.

// CHECK-LABEL: func.func @as_a_whole
// CHECK:          %w_lanes = memref.alloca() {alignment = 64 : i64} : memref<4xf32>
// CHECK-NEXT:     %size_lanes = memref.alloca() {alignment = 64 : i64} : memref<4xindex>
// CHECK-NEXT:     %size_lanes_1 = memref.alloca() {alignment = 64 : i64} : memref<4xindex>
// CHECK-NEXT:     %v_lanes = memref.alloca() {alignment = 64 : i64} : memref<4xf32>
// CHECK-NEXT:     %size_lanes_2 = memref.alloca() {alignment = 64 : i64} : memref<4xindex>
// CHECK-NEXT:     %size = vector.load %n[%first] : memref<?xindex>, vector<4xindex>
// CHECK-NEXT:     %size_most = vector.reduction <maxui>, %size : vector<4xindex> into index
// CHECK-NEXT:     %0, %1 = arith.mului_extended %c4, %size_most : index
// CHECK-NEXT:     %2 = arith.minui %0, %c72057594037927936 : index
// CHECK-NEXT:     %3 = arith.cmpi eq, %1, %c0 : index
// CHECK-NEXT:     %4 = arith.select %3, %2, %c72057594037927936 : index
// CHECK-NEXT:     %5 = arith.addi %4, %c15 : index
// CHECK-NEXT:     %bytes = arith.andi %5, %cm16 : index
// CHECK-NEXT:     %6 = arith.muli %bytes, %c4 : index
// CHECK-NEXT:     %a_lanes = memref.alloca(%6) {alignment = 64 : i64} : memref<?xi8>
// CHECK-NEXT:     %size_most_1 = vector.reduction <maxui>, %size : vector<4xindex> into index
// CHECK-NEXT:     %7, %8 = arith.mului_extended %c4, %size_most_1 : index
// CHECK-NEXT:     %9 = arith.minui %7, %c72057594037927936 : index
// CHECK-NEXT:     %10 = arith.cmpi eq, %8, %c0 : index
// CHECK-NEXT:     %11 = arith.select %10, %9, %c72057594037927936 : index
// CHECK-NEXT:     %12 = arith.addi %11, %c15 : index
// CHECK-NEXT:     %bytes_1 = arith.andi %12, %cm16 : index
// CHECK-NEXT:     %13 = arith.muli %bytes_1, %c4 : index
// CHECK-NEXT:     %b_lanes = memref.alloca(%13) {alignment = 64 : i64} : memref<?xi8>
// CHECK-NEXT:     %v = vector.load %x[%first] : memref<?xf32>, vector<4xf32>
// CHECK-NEXT:     vector.store %size, %size_lanes_2[%c0] : memref<4xindex>, vector<4xindex>
// CHECK-NEXT:     vector.store %v, %v_lanes[%c0] : memref<4xf32>, vector<4xf32>
// CHECK-NEXT:     scf.for %lane = %c0 to %c4 step %c1 {
// CHECK-NEXT:       %v_1 = memref.load %v_lanes[%lane] : memref<4xf32>
// CHECK-NEXT:       %14 = arith.muli %lane, %bytes : index
// CHECK-NEXT:       %size_1 = memref.load %size_lanes_2[%lane] : memref<4xindex>
// CHECK-NEXT:       %a = memref.view %a_lanes[%14][%size_1] : memref<?xi8> to memref<?xf32>
// CHECK-NEXT:       memref.store %v_1, %a[%c0] : memref<?xf32>
// CHECK-NEXT:     } {spmd.access = "lane by lane", spmd.why = "memref.store goes to an array that differs between work-items"}
// CHECK-NEXT:     vector.store %size, %size_lanes_1[%c0] : memref<4xindex>, vector<4xindex>
// CHECK-NEXT:     scf.for %lane_1 = %c0 to %c4 step %c1 {
// CHECK-NEXT:       %15 = arith.muli %lane_1, %bytes : index
// CHECK-NEXT:       %size_2 = memref.load %size_lanes_1[%lane_1] : memref<4xindex>
// CHECK-NEXT:       %a_1 = memref.view %a_lanes[%15][%size_2] : memref<?xi8> to memref<?xf32>
// CHECK-NEXT:       %16 = arith.muli %lane_1, %bytes_1 : index
// CHECK-NEXT:       %size_3 = memref.load %size_lanes_1[%lane_1] : memref<4xindex>
// CHECK-NEXT:       %b = memref.view %b_lanes[%16][%size_3] : memref<?xi8> to memref<?xf32>
// CHECK-NEXT:       memref.copy %a_1, %b : memref<?xf32> to memref<?xf32>
// CHECK-NEXT:     } {spmd.access = "lane by lane", spmd.why = "memref.copy has no vector form"}
// CHECK-NEXT:     vector.store %size, %size_lanes[%c0] : memref<4xindex>, vector<4xindex>
// CHECK-NEXT:     scf.for %lane_2 = %c0 to %c4 step %c1 {
// CHECK-NEXT:       %17 = arith.muli %lane_2, %bytes_1 : index
// CHECK-NEXT:       %size_4 = memref.load %size_lanes[%lane_2] : memref<4xindex>
// CHECK-NEXT:       %b_1 = memref.view %b_lanes[%17][%size_4] : memref<?xi8> to memref<?xf32>
// CHECK-NEXT:       %w = memref.load %b_1[%c0] : memref<?xf32>
// CHECK-NEXT:       memref.store %w, %w_lanes[%lane_2] : memref<4xf32>
// CHECK-NEXT:     } {spmd.access = "lane by lane", spmd.why = "memref.load goes to an array that differs between work-items"}
// CHECK-NEXT:     %w_1 = vector.load %w_lanes[%c0] : memref<4xf32>, vector<4xf32>
// CHECK-NEXT:     vector.store %w_1, %x[%first] : memref<?xf32>, vector<4xf32>
func.func @as_a_whole(%x: memref<?xf32>, %n: memref<?xindex>, %first: index) {
  %c0 = arith.constant 0 : index
  spmd.sub_group (%i) shape [4] at (%first) {
    %size = memref.load %n[%i] : memref<?xindex>
    %a = memref.alloca(%size) : memref<?xf32>
    %b = memref.alloca(%size) : memref<?xf32>
    %v = memref.load %x[%i] : memref<?xf32>
    memref.store %v, %a[%c0] : memref<?xf32>
    "memref.copy"(%a, %b) : (memref<?xf32>, memref<?xf32>) -> ()
    %w = memref.load %b[%c0] : memref<?xf32>
    memref.store %w, %x[%i] : memref<?xf32>
  }
  func.return
}

// -----

// Sizes that differ become the largest; a lane that asks gets its own.

// CHECK-LABEL: func.func @sized
// CHECK:          %size = vector.load %n[%first] : memref<?xindex>, vector<4xindex>
// CHECK-NEXT:     %size_most = vector.reduction <maxui>, %size : vector<4xindex> into index
// CHECK-NEXT:     %a = memref.alloca(%size_most) {alignment = 64 : i64} : memref<?x4xf32>
// CHECK-NEXT:     %v = vector.load %x[%first] : memref<?xf32>, vector<4xf32>
// CHECK-NEXT:     vector.store %v, %a[%c0, %c0] : memref<?x4xf32>, vector<4xf32>
// CHECK-NEXT:     vector.store %size, %n[%first] : memref<?xindex>, vector<4xindex>
// CHECK-NEXT:     %w = vector.load %a[%c0, %c0] : memref<?x4xf32>, vector<4xf32>
// CHECK-NEXT:     vector.store %w, %x[%first] : memref<?xf32>, vector<4xf32>
func.func @sized(%x: memref<?xf32>, %n: memref<?xindex>, %first: index) {
  %c0 = arith.constant 0 : index
  spmd.sub_group (%i) shape [4] at (%first) {
    %size = memref.load %n[%i] : memref<?xindex>
    %a = memref.alloca(%size) : memref<?xf32>
    %v = memref.load %x[%i] : memref<?xf32>
    memref.store %v, %a[%c0] : memref<?xf32>
    %d = memref.dim %a, %c0 : memref<?xf32>
    memref.store %d, %n[%i] : memref<?xindex>
    %w = memref.load %a[%c0] : memref<?xf32>
    memref.store %w, %x[%i] : memref<?xf32>
  }
  func.return
}

// -----

// A tile of more than 64 lanes has a mask of as many bits.

// CHECK-LABEL: func.func @tile
// CHECK:          [[BITS:%.*]] = vector.extract {{%.*}}[0] : i128 from vector<1xi128>
// CHECK-NEXT:     %full = arith.cmpi eq, [[BITS]], %cm1_i128 : i128
// CHECK-NEXT:     scf.if %full {
// CHECK-NEXT:       scf.for %lane = %c0 to %c128 step %c1 {
// CHECK:            scf.while (%rest = [[BITS]]) : (i128) -> i128 {
// CHECK-NEXT:         arith.cmpi ne, %rest, {{%.*}} : i128
// CHECK:              [[PLACE:%.*]] = math.cttz {{%.*}} : i128
// CHECK-NEXT:         arith.index_cast [[PLACE]] : i128 to index
func.func @tile(%x: memref<?xi32>, %h: memref<?xi32>, %first: index) {
  %c0_i32 = arith.constant 0 : i32
  %c0 = arith.constant 0 : index
  spmd.sub_group (%i, %j) shape [16, 8] at (%first, %c0) {
    %v = memref.load %x[%i] : memref<?xi32>
    %on = arith.cmpi ne, %v, %c0_i32 : i32
    spmd.masked %on {
      %w = spmd.atomic_rmw add %v, %h[%j] : memref<?xi32>
      memref.store %w, %x[%i] : memref<?xi32>
    }
  }
  func.return
}

// -----

// Atomic updates of private arrays are combined for nobody: each lane has its own element.

// CHECK-LABEL: func.func @own_elements
// CHECK:         scf.for %lane
// CHECK:           %o = spmd.atomic_rmw add %{{.*}}, %{{.*}}[%c0] : memref<4xi32>
// CHECK:         } {spmd.access = "lane by lane", spmd.why = "spmd.atomic_rmw has no vector form, as lanes may update different elements"}
func.func @own_elements(%x: memref<?xi32>, %y: memref<?xi32>, %first: index) {
  %c0 = arith.constant 0 : index
  spmd.sub_group (%i) shape [8] at (%first) {
    %own = memref.alloca() : memref<4xi32>
    %v = memref.load %x[%i] : memref<?xi32>
    memref.store %v, %own[%c0] : memref<4xi32>
    %o = spmd.atomic_rmw add %v, %own[%c0] : memref<4xi32>
    %r = memref.load %own[%c0] : memref<4xi32>
    memref.store %r, %y[%i] : memref<?xi32>
  }
  func.return
}
