// RUN: spmd-run --explain %s --width 16 --group-size 64 | filecheck %s
// RUN: spmd-run - --explain --width 16 --group-size 64 < %s | filecheck %s
// RUN: spmd-run %s --explain --width 8 --kernel column | filecheck %s --check-prefix COLUMN
// RUN: spmd-run %s --explain --no-vectorize --kernel swap | filecheck %s --check-prefix SCALAR
// RUN: spmd-run %s --explain --kernel host --width 4 | filecheck %s --check-prefix HOST
// RUN: spmd-run %s --explain=json --kernel swap --width 4 | filecheck %s --check-prefix JSON
// RUN: not spmd-run %s --explain=xml 2>&1 | filecheck %s --check-prefix FORM
// RUN: not spmd-run %s --explain --check 2>&1 | filecheck %s --check-prefix BOTH
// RUN: not spmd-run %s --explain --kernel swap --strategy sideways 2>&1 | filecheck %s --check-prefix STRATEGY

// CHECK:      kernel @column at {{.*}}:[[LINE:[0-9]+]]:1
// CHECK-NEXT:   work-group     64 work-items; what follows is about full groups
// CHECK-NEXT:   sub-group      16 lanes: width=16
// CHECK-NEXT:   loops          lines {{[0-9]+}}-{{[0-9]+}}: 16 lanes; 1 contiguous, 1 gather
// CHECK-NEXT:                     {{[0-9]+}}:8 gather: lanes go along dimension 0 of %m, not along the last one
// CHECK-NEXT:   footprints     reads %m [first.x to last.x, 0]
// CHECK-NEXT:                  writes %y [first.x to last.x]
// CHECK:      kernel @swap
// CHECK-NEXT:   work-group     64 work-items; what follows is about full groups
// CHECK-NEXT:   sub-group      16 lanes: width=16
// CHECK-NEXT:   barriers       1, split by fission
// CHECK-NEXT:   kept           4 bytes per work-item across barriers:
// CHECK-NEXT:                  4 f32 %v {{[0-9]+}}:8 memref.load is not rematerialized after a barrier
// CHECK-NEXT:   loops          2, all in lanes, every access uniform or contiguous
// CHECK-NEXT:   footprints     reads %x [first.x to last.x]
// CHECK-NEXT:                  writes %y [first.x to last.x]
// CHECK-NOT:  {{.}}

// COLUMN:     kernel @column
// COLUMN-NOT: kernel

// SCALAR: loops 2, all scalar: vectorize is off

// HOST:     kernel @swap
// HOST-NOT: kernel

// JSON:      {
// JSON-NEXT:   "version": 1,
// JSON:        "name": "swap",
// JSON:        "strategy": "fission",
// JSON:        "context_bytes": 4,

// FORM: error: argument --explain: invalid choice: 'xml' (choose from
// BOTH: error: expected --explain or --check, got both
// STRATEGY: spmd-run: error: option 'strategy': expected one of
// STRATEGY-NOT: Traceback

spmd.kernel @column(%m: memref<?x?xf32>, %y: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %i = spmd.global_id x
  %v = memref.load %m[%i, %c0] : memref<?x?xf32>
  memref.store %v, %y[%i] : memref<?xf32>
  spmd.return
}

spmd.kernel @swap(%x: memref<?xf32>, %y: memref<?xf32>) {
  %i = spmd.global_id x
  %v = memref.load %x[%i] : memref<?xf32>
  spmd.barrier
  memref.store %v, %y[%i] : memref<?xf32>
  spmd.return
}

func.func @host(%x: memref<?xf32>) {
  %c8 = arith.constant 8 : index
  spmd.launch @swap global(%c8) of(%c8) (%x, %x) : memref<?xf32>, memref<?xf32>
  func.return
}
