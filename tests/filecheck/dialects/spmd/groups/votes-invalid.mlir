// RUN: xdsl-opt %s --verify-diagnostics --parsing-diagnostics --split-input-file | filecheck %s

// CHECK: Expected `work_group`, or `sub_group`
spmd.kernel @no_such_scope(%p: i1) {
  %0 = spmd.any %p across device
  spmd.return
}

// -----

// CHECK: Expected 'across'
spmd.kernel @no_scope(%p: i1) {
  %0 = spmd.all %p
  spmd.return
}

// -----

// CHECK: operand 'predicate' at position 0 does not verify:
// CHECK: Expected attribute i1 but got i32
spmd.kernel @vote_of_i32(%p: i32) {
  %0 = "spmd.any"(%p) <{scope = #spmd.scope<sub_group>}> : (i32) -> i1
  spmd.return
}

// -----

// CHECK: Expected 'i64'
spmd.kernel @ballot_of_32_bits(%p: i1) {
  %0 = spmd.ballot %p : i32
  spmd.return
}

// -----

// CHECK: expected spmd.elect inside a kernel or function, got it at module level
%0 = spmd.elect

// -----

// CHECK: expected spmd.ballot inside a kernel or function, got it at module level
%p = "test.op"() : () -> i1
%0 = spmd.ballot %p : i64

// -----

// CHECK: expected spmd.all inside a kernel or function, got it at module level
%p = "test.op"() : () -> i1
%0 = spmd.all %p across work_group
