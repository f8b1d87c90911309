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
