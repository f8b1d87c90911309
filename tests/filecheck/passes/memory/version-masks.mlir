// RUN: xdsl-opt %s --allow-unregistered-dialect -p 'version-masks' --split-input-file | filecheck %s
// RUN: xdsl-opt %s --allow-unregistered-dialect -p 'version-masks,version-masks' --split-input-file | filecheck %s
// RUN: xdsl-opt %s --allow-unregistered-dialect -p 'version-masks{target=x86-64-v4}' --split-input-file | filecheck %s --check-prefix MASKS

// What lies between accesses under one mask is written without it, with values that others use.

// CHECK-LABEL: func.func @bytes
// CHECK:         %all = vector.reduction <and>, %m : vector<32xi1> into i1
// CHECK-NEXT:    %w = scf.if %all -> (vector<32xi8>) {
// CHECK-NEXT:      %v = vector.load %x[%i] {spmd.access = "version"} : memref<?xi8>, vector<32xi8>
// CHECK-NEXT:      %w_1 = arith.addi %v, %v : vector<32xi8>
// CHECK-NEXT:      vector.store %w_1, %x[%i] {spmd.access = "version"} : memref<?xi8>, vector<32xi8>
// CHECK-NEXT:      scf.yield %w_1 : vector<32xi8>
// CHECK-NEXT:    } else {
// CHECK-NEXT:      %v_1 = vector.maskedload %x[%i], %m, %old
// CHECK-NEXT:      %w_2 = arith.addi %v_1, %v_1 : vector<32xi8>
// CHECK-NEXT:      vector.maskedstore %x[%i], %m, %w_2
// CHECK-NEXT:      scf.yield %w_2 : vector<32xi8>
// CHECK-NEXT:    }
// CHECK-NEXT:    "use"(%w)
// MASKS-LABEL: func.func @bytes
// MASKS-NOT:     spmd.access
func.func @bytes(%x: memref<?xi8>, %i: index, %m: vector<32xi1>, %old: vector<32xi8>) {
  %v = vector.maskedload %x[%i], %m, %old : memref<?xi8>, vector<32xi1>, vector<32xi8> into vector<32xi8>
  %w = arith.addi %v, %v : vector<32xi8>
  vector.maskedstore %x[%i], %m, %w : memref<?xi8>, vector<32xi1>, vector<32xi8>
  "use"(%w) : (vector<32xi8>) -> ()
  func.return
}

// -----

// Where nobody needs a value, it is asked whether any lane is active; loads of 32 bits have masks.

// CHECK-LABEL: func.func @words
// CHECK-NEXT:    %v = vector.maskedload
// CHECK-NEXT:    "between"()
// CHECK-NEXT:    %all = vector.reduction <and>, %m : vector<8xi1> into i1
// CHECK-NEXT:    scf.if %all {
// CHECK-NEXT:      vector.store %v, %x[%j]
// CHECK-NEXT:    } else {
// CHECK-NEXT:      %some = vector.reduction <or>, %m : vector<8xi1> into i1
// CHECK-NEXT:      scf.if %some {
// CHECK-NEXT:        vector.maskedstore %x[%j], %m, %v
// CHECK-NEXT:      }
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return
func.func @words(%x: memref<?xf32>, %i: index, %j: index, %m: vector<8xi1>, %old: vector<8xf32>) {
  %v = vector.maskedload %x[%i], %m, %old : memref<?xf32>, vector<8xi1>, vector<8xf32> into vector<8xf32>
  "between"() : () -> ()
  vector.maskedstore %x[%j], %m, %v : memref<?xf32>, vector<8xi1>, vector<8xf32>
  func.return
}

// -----

// Control flow between them is copied as well, and what is under another mask stays under it
// where not all are active: lanes of that one may be active where none of this one are.

// CHECK-LABEL: func.func @nested
// CHECK:         scf.if %all {
// CHECK-NEXT:      vector.store %v, %x[%i]
// CHECK-NEXT:      scf.if %c {
// CHECK-NEXT:        vector.store %v, %x[%j]
// CHECK-NEXT:        %all_1 = vector.reduction <and>, %n : vector<8xi1> into i1
// CHECK-NEXT:        scf.if %all_1 {
// CHECK-NEXT:          vector.store %v, %x[%k]
// CHECK:             vector.store %v, %x[%k]
// CHECK-NEXT:    } else {
// CHECK-NEXT:      vector.maskedstore %x[%i], %m, %v
// CHECK-NEXT:      scf.if %c {
// CHECK-NEXT:        vector.maskedstore %x[%j], %m, %v
// CHECK-NEXT:        vector.maskedstore %x[%k], %n, %v
// CHECK-NEXT:      }
// CHECK-NEXT:      vector.maskedstore %x[%k], %m, %v
func.func @nested(%x: memref<?xf32>, %i: index, %j: index, %k: index, %m: vector<8xi1>,
                  %n: vector<8xi1>, %c: i1, %v: vector<8xf32>) {
  vector.maskedstore %x[%i], %m, %v : memref<?xf32>, vector<8xi1>, vector<8xf32>
  scf.if %c {
    vector.maskedstore %x[%j], %m, %v : memref<?xf32>, vector<8xi1>, vector<8xf32>
    vector.maskedstore %x[%k], %n, %v : memref<?xf32>, vector<8xi1>, vector<8xf32>
  }
  vector.maskedstore %x[%k], %m, %v : memref<?xf32>, vector<8xi1>, vector<8xf32>
  func.return
}

// -----

// What holds only where this mask does may be skipped with it; any other effect may not.

// CHECK-LABEL: func.func @under
// CHECK:         } else {
// CHECK:         } else {
// CHECK-NEXT:      %some_1 = vector.reduction <or>, %m
// CHECK-NEXT:      scf.if %some_1 {
// CHECK-NEXT:        vector.maskedstore %x[%i], %m, %v
// CHECK-NEXT:        vector.maskedstore %x[%j], %both, %v
func.func @under(%x: memref<?xf32>, %i: index, %j: index, %m: vector<8xi1>, %n: vector<8xi1>,
                 %v: vector<8xf32>) {
  %both = arith.andi %n, %m : vector<8xi1>
  vector.maskedstore %x[%i], %m, %v : memref<?xf32>, vector<8xi1>, vector<8xf32>
  vector.maskedstore %x[%j], %both, %v : memref<?xf32>, vector<8xi1>, vector<8xf32>
  vector.maskedstore %x[%i], %m, %v : memref<?xf32>, vector<8xi1>, vector<8xf32>
  func.return
}

// CHECK-LABEL: func.func @other_effects
// CHECK:         vector.store %v, %x[%j]
// CHECK-NOT:     <or>
// CHECK:         vector.store %v, %x[%j]
// CHECK-NOT:     <or>
func.func @other_effects(%x: memref<?xf32>, %i: index, %j: index, %m: vector<8xi1>, %v: vector<8xf32>) {
  vector.maskedstore %x[%i], %m, %v : memref<?xf32>, vector<8xi1>, vector<8xf32>
  vector.store %v, %x[%j] : memref<?xf32>, vector<8xf32>
  vector.maskedstore %x[%i], %m, %v : memref<?xf32>, vector<8xi1>, vector<8xf32>
  func.return
}

// -----

// What is left over at the end of a loop never has all lanes; a prefix of any length may.

// CHECK-LABEL: func.func @prefixes
// CHECK-NOT:     scf.if
// CHECK:         vector.maskedstore %x[%i], %active, %v
// CHECK:         %all = vector.reduction <and>, %prefix
// CHECK-NOT:     vector.reduction <and>
func.func @prefixes(%x: memref<?xf32>, %i: index, %n: index, %m: vector<8xi1>, %v: vector<8xf32>) {
  %c7 = arith.constant 7 : index
  %none = arith.constant dense<false> : vector<8xi1>
  %rest = arith.andi %n, %c7 : index
  %exists = vector.create_mask %rest : vector<8xi1>
  vector.maskedstore %x[%i], %exists, %v : memref<?xf32>, vector<8xi1>, vector<8xf32>
  %active = arith.select %exists, %m, %none : vector<8xi1>, vector<8xi1>
  vector.maskedstore %x[%i], %active, %v : memref<?xf32>, vector<8xi1>, vector<8xf32>
  %prefix = vector.create_mask %n : vector<8xi1>
  vector.maskedstore %x[%i], %prefix, %v : memref<?xf32>, vector<8xi1>, vector<8xf32>
  func.return
}

// -----

// Of the first lanes, whole registers are stored without a mask; with masks for all it stays one store.

// CHECK-LABEL: func.func @registers
// CHECK:         %first = vector.create_mask %n : vector<16xi1>
// CHECK-NEXT:    %v_1 = vector.shuffle %v, %v [0, 1, 2, 3, 4, 5, 6, 7] : vector<16xf32>, vector<16xf32>
// CHECK-NEXT:    %whole = arith.cmpi sge, %n, %c8 : index
// CHECK-NEXT:    scf.if %whole {
// CHECK-NEXT:      vector.store %v_1, %x[%i, %j] : memref<?x?xf32>, vector<8xf32>
// CHECK-NEXT:      %n_1 = arith.subi %n, %c8 : index
// CHECK-NEXT:      %j_1 = arith.addi %j, %c8 : index
// CHECK-NEXT:      %v_2 = vector.shuffle %v, %v [8, 9, 10, 11, 12, 13, 14, 15] : vector<16xf32>, vector<16xf32>
// CHECK-NEXT:      %whole_1 = arith.cmpi sge, %n_1, %c8 : index
// CHECK-NEXT:      scf.if %whole_1 {
// CHECK-NEXT:        vector.store %v_2, %x[%i, %j_1] : memref<?x?xf32>, vector<8xf32>
// CHECK-NEXT:      } else {
// CHECK-NEXT:        %some = arith.cmpi sgt, %n_1, %c0 : index
// CHECK-NEXT:        scf.if %some {
// CHECK-NEXT:          %n_2 = arith.minsi %n_1, %c7 : index
// CHECK-NEXT:          %first_1 = vector.create_mask %n_2 : vector<8xi1>
// CHECK-NEXT:          vector.maskedstore %x[%i, %j_1], %first_1, %v_2
// CHECK-NEXT:        }
// CHECK-NEXT:      }
// CHECK-NEXT:    } else {
// CHECK-NEXT:      %some_1 = arith.cmpi sgt, %n, %c0 : index
// CHECK-NEXT:      scf.if %some_1 {
// CHECK-NEXT:        %n_3 = arith.minsi %n, %c7 : index
// CHECK-NEXT:        %first_2 = vector.create_mask %n_3 : vector<8xi1>
// CHECK-NEXT:        vector.maskedstore %x[%i, %j], %first_2, %v_1
// CHECK-NEXT:      }
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return
// MASKS-LABEL: func.func @registers
// MASKS-NEXT:    %first = vector.create_mask
// MASKS-NEXT:    vector.maskedstore
func.func @registers(%x: memref<?x?xf32>, %i: index, %j: index, %n: index, %v: vector<16xf32>) {
  %first = vector.create_mask %n : vector<16xi1>
  vector.maskedstore %x[%i, %j], %first, %v : memref<?x?xf32>, vector<16xi1>, vector<16xf32>
  func.return
}
