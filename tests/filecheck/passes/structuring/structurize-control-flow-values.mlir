// RUN: xdsl-opt %s -p structurize-control-flow --split-input-file | filecheck %s
// RUN: xdsl-opt %s -p structurize-control-flow,structurize-control-flow --split-input-file | filecheck %s

// What a block only passes control on with may be asked for further down.

// CHECK-LABEL: spmd.kernel @beyond
// CHECK-NEXT:    %r = scf.if %c -> (i32) {
// CHECK-NEXT:      %p = "test.op"() : () -> i32
// CHECK-NEXT:      scf.yield %p : i32
// CHECK-NEXT:    } else {
// CHECK-NEXT:      %q = "test.op"() : () -> i32
// CHECK-NEXT:      scf.yield %q : i32
// CHECK-NEXT:    }
// CHECK-NEXT:    "test.op"(%r)
spmd.kernel @beyond(%c: i1) {
  cf.cond_br %c, ^then, ^else
^then:
  %p = "test.op"() : () -> i32
  cf.br ^on(%p : i32)
^else:
  %q = "test.op"() : () -> i32
  cf.br ^on(%q : i32)
^on(%r: i32):
  cf.br ^end
^end:
  "test.op"(%r) : (i32) -> ()
  spmd.return
}

// -----

// Each of the values that a loop carries is left with its own, where it is left in the middle.

// CHECK-LABEL: spmd.kernel @two
// CHECK:         {{.*}}, [[I:%\w+]], [[J:%\w+]] = scf.while ([[A:%\w+]] = %c0, [[B:%\w+]] = %n)
// CHECK:           scf.condition(%again) %{{.*}}, %{{.*}}, [[A]], [[B]] : i32, i32, i32, i32
// CHECK:         "test.op"([[I]], [[J]])
spmd.kernel @two(%n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  cf.br ^head(%c0, %n : i32, i32)
^head(%i: i32, %j: i32):
  %more = "test.op"(%i, %j) : (i32, i32) -> i1
  cf.cond_br %more, ^body, ^out
^body:
  %next_i = arith.addi %i, %c1 : i32
  %next_j = arith.muli %j, %next_i : i32
  %stop = "test.op"(%next_j) : (i32) -> i1
  cf.cond_br %stop, ^out, ^head(%next_i, %next_j : i32, i32)
^out:
  "test.op"(%i, %j) : (i32, i32) -> ()
  spmd.return
}

// -----

// What only an argument that nobody asks for would get is brought out of no loop.

// CHECK-LABEL: spmd.kernel @unasked
// CHECK:         scf.while () : () -> () {
// CHECK-NEXT:      %v = "test.op"() : () -> i32
spmd.kernel @unasked(%c: i1) {
  cf.br ^head
^head:
  %v = "test.op"() : () -> i32
  %more = "test.op"() : () -> i1
  cf.cond_br %more, ^head, ^out
^out:
  %p = "test.op"() {out} : () -> i32
  cf.cond_br %c, ^end(%v : i32), ^other
^other:
  "test.op"() {other} : () -> ()
  cf.br ^end(%p : i32)
^end(%unused: i32):
  "test.op"() {end} : () -> ()
  spmd.return
}

// -----

// What a loop hands on from block to block is the same all the time.

// CHECK-LABEL: spmd.kernel @unchanged
// CHECK:         "test.op"(%x) {head}
spmd.kernel @unchanged(%x: i32, %c: i1, %d: i1) {
  cf.br ^head(%x : i32)
^head(%b: i32):
  "test.op"(%b) {head} : (i32) -> ()
  cf.cond_br %c, ^body, ^end
^body:
  cf.cond_br %d, ^left, ^right
^left:
  "test.op"() {left} : () -> ()
  cf.br ^latch(%b : i32)
^right:
  cf.br ^latch(%b : i32)
^latch(%a: i32):
  cf.br ^head(%a : i32)
^end:
  spmd.return
}
