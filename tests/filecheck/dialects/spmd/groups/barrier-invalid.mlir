// RUN: xdsl-opt %s --verify-diagnostics --parsing-diagnostics --split-input-file | filecheck %s

// CHECK: expected spmd.barrier inside a kernel or function, got it at module level
spmd.barrier

// -----

// CHECK: Expected `work_group`, or `sub_group`
spmd.kernel @no_such_scope() {
  "spmd.barrier"() <{scope = #spmd.scope<device>}> : () -> ()
  spmd.return
}

// -----

// CHECK: property 'scope' expected in operation 'spmd.barrier'
spmd.kernel @generic_without_scope() {
  "spmd.barrier"() : () -> ()
  spmd.return
}
