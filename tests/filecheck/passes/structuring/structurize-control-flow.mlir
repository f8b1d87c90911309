// RUN: xdsl-opt %s -p structurize-control-flow --split-input-file --verify-diagnostics | filecheck %s
// RUN: xdsl-opt %s -p structurize-control-flow,structurize-control-flow --split-input-file --verify-diagnostics | filecheck %s

// Two paths that join in one place.

// CHECK-LABEL: spmd.kernel @diamond
// CHECK:         %r = scf.if %c -> (i32) {
// CHECK-NEXT:      %a = "test.op"() {then} : () -> i32
// CHECK-NEXT:      scf.yield %a : i32
// CHECK-NEXT:    } else {
// CHECK-NEXT:      %b = "test.op"() {else} : () -> i32
// CHECK-NEXT:      scf.yield %b : i32
// CHECK-NEXT:    }
// CHECK-NEXT:    "test.op"(%r)
// CHECK-NEXT:    spmd.return
spmd.kernel @diamond(%c: i1) {
  cf.cond_br %c, ^then, ^else
^then:
  %a = "test.op"() {then} : () -> i32
  cf.br ^join(%a : i32)
^else:
  %b = "test.op"() {else} : () -> i32
  cf.br ^join(%b : i32)
^join(%r: i32):
  "test.op"(%r) : (i32) -> ()
  spmd.return
}

// -----

// Of a division that nobody needs, checked code has yet to say whether it is by 0; what cannot
// fail and what nobody needs goes.

// CHECK-LABEL: spmd.kernel @unneeded
// CHECK-NEXT:    {{.*}} = scf.if %c -> (i32) {
// CHECK-NEXT:      %q = arith.divui %a, %b : i32
// CHECK-NEXT:      scf.yield %q : i32
// CHECK-NEXT:    } else {
// CHECK-NOT:     arith.addi
// CHECK:         spmd.return
spmd.kernel @unneeded(%c: i1, %a: i32, %b: i32) {
  %unused = scf.execute_region -> (i32) {
    cf.cond_br %c, ^then, ^join(%a : i32)
  ^then:
    %q = arith.divui %a, %b : i32
    cf.br ^join(%q : i32)
  ^join(%r: i32):
    scf.yield %r : i32
  }
  %dead = scf.execute_region -> (i32) {
    cf.cond_br %c, ^then, ^join(%a : i32)
  ^then:
    %s = arith.addi %a, %b : i32
    cf.br ^join(%s : i32)
  ^join(%t: i32):
    scf.yield %t : i32
  }
  spmd.return
}

// -----

// A choice of values needs no branch.

// CHECK-LABEL: spmd.kernel @choice
// CHECK-NEXT:    %r = arith.select %c, %a, %b : i32
// CHECK-NEXT:    "test.op"(%r)
// CHECK-NEXT:    spmd.return
spmd.kernel @choice(%c: i1, %a: i32, %b: i32) {
  cf.cond_br %c, ^join(%a : i32), ^join(%b : i32)
^join(%r: i32):
  "test.op"(%r) : (i32) -> ()
  spmd.return
}

// -----

// An early return is a branch around the rest.

// CHECK-LABEL: spmd.kernel @early_return
// CHECK-NEXT:    %i = spmd.global_id x
// CHECK-NEXT:    %inside = arith.cmpi ult, %i, %n : index
// CHECK-NEXT:    scf.if %inside {
// CHECK-NEXT:      "test.op"(%i)
// CHECK-NEXT:    }
// CHECK-NEXT:    spmd.return
spmd.kernel @early_return(%n: index) {
  %i = spmd.global_id x
  %inside = arith.cmpi ult, %i, %n : index
  cf.cond_br %inside, ^work, ^out
^out:
  spmd.return
^work:
  "test.op"(%i) : (index) -> ()
  spmd.return
}

// -----

// So it is if the condition says when to leave.

// CHECK-LABEL: spmd.kernel @leave
// CHECK-NEXT:    %i = spmd.global_id x
// CHECK-NEXT:    [[INSIDE:%.*]] = arith.cmpi ult, %i, %n : index
// CHECK-NEXT:    scf.if [[INSIDE]] {
// CHECK-NEXT:      "test.op"(%i)
// CHECK-NEXT:    }
// CHECK-NEXT:    spmd.return
spmd.kernel @leave(%n: index) {
  %i = spmd.global_id x
  %outside = arith.cmpi uge, %i, %n : index
  cf.cond_br %outside, ^out, ^work
^work:
  "test.op"(%i) : (index) -> ()
  spmd.return
^out:
  spmd.return
}

// -----

// `a && b`: the block of "else" is there once.

// CHECK-LABEL: spmd.kernel @short_circuit
// CHECK:         [[ELSE:%.*]] = scf.if %a -> (i1) {
// CHECK-NEXT:      %b = "test.op"() : () -> i1
// CHECK-NEXT:      [[NOT:%.*]] = arith.xori %b, %true : i1
// CHECK-NEXT:      scf.if %b {
// CHECK-NEXT:        "test.op"() {then}
// CHECK-NEXT:      }
// CHECK-NEXT:      scf.yield [[NOT]] : i1
// CHECK-NEXT:    } else {
// CHECK-NEXT:      scf.yield %true : i1
// CHECK-NEXT:    }
// CHECK-NEXT:    scf.if [[ELSE]] {
// CHECK-NEXT:      "test.op"() {else}
// CHECK-NEXT:    }
// CHECK-NEXT:    "test.op"() {join}
// CHECK-NEXT:    spmd.return
spmd.kernel @short_circuit(%a: i1) {
  cf.cond_br %a, ^second, ^else
^second:
  %b = "test.op"() : () -> i1
  cf.cond_br %b, ^then, ^else
^then:
  "test.op"() {then} : () -> ()
  cf.br ^join
^else:
  "test.op"() {else} : () -> ()
  cf.br ^join
^join:
  "test.op"() {join} : () -> ()
  spmd.return
}

// -----

// A switch; two cases lead to one block.

// CHECK-LABEL: spmd.kernel @switch
// CHECK:         [[CASE:%.*]] = arith.index_cast %flag : i32 to index
// CHECK-NEXT:    %r, [[SHARED:%.*]] = scf.index_switch [[CASE]] -> i32, i1
// CHECK-NEXT:    case -1 {
// CHECK-NEXT:      %a = "test.op"() {a} : () -> i32
// CHECK-NEXT:      scf.yield %a, %false : i32, i1
// CHECK-NEXT:    }
// CHECK-NEXT:    case 2 {
// CHECK-NEXT:      scf.yield %undefined, %true : i32, i1
// CHECK-NEXT:    }
// CHECK-NEXT:    case 3 {
// CHECK-NEXT:      scf.yield %undefined, %true : i32, i1
// CHECK-NEXT:    }
// CHECK-NEXT:    default {
// CHECK-NEXT:      scf.yield %flag, %false : i32, i1
// CHECK-NEXT:    }
// CHECK-NEXT:    [[R:%.*]] = scf.if [[SHARED]] -> (i32) {
// CHECK-NEXT:      %b = "test.op"() {b} : () -> i32
// CHECK-NEXT:      scf.yield %b : i32
// CHECK-NEXT:    } else {
// CHECK-NEXT:      scf.yield %r : i32
// CHECK-NEXT:    }
// CHECK-NEXT:    "test.op"([[R]])
spmd.kernel @switch(%flag: i32) {
  cf.switch %flag : i32, [default: ^join(%flag : i32), -1: ^a, 2: ^b, 3: ^b]
^a:
  %a = "test.op"() {a} : () -> i32
  cf.br ^join(%a : i32)
^b:
  %b = "test.op"() {b} : () -> i32
  cf.br ^join(%b : i32)
^join(%r: i32):
  "test.op"(%r) : (i32) -> ()
  spmd.return
}

// -----

// A loop that counts is an scf.for; "continue" is a branch in it.

// CHECK-LABEL: spmd.kernel @counted
// CHECK:         [[SUM:%.*]] = scf.for %i = %c0 to %n step %c1 iter_args([[S:%.*]] = %zero) -> (i32) {
// CHECK-NEXT:      %v = "test.op"(%i) : (index) -> i32
// CHECK-NEXT:      %skip = arith.cmpi slt, %v, %zero : i32
// CHECK-NEXT:      [[NEXT:%.*]] = scf.if %skip -> (i32) {
// CHECK-NEXT:        scf.yield [[S]] : i32
// CHECK-NEXT:      } else {
// CHECK-NEXT:        %t = arith.addi [[S]], %v : i32
// CHECK-NEXT:        scf.yield %t : i32
// CHECK-NEXT:      }
// CHECK-NEXT:      scf.yield [[NEXT]] : i32
// CHECK-NEXT:    }
// CHECK-NEXT:    "test.op"([[SUM]])
spmd.kernel @counted(%n: index) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0 : i32
  cf.br ^head(%c0, %zero : index, i32)
^head(%i: index, %s: i32):
  %more = arith.cmpi slt, %i, %n : index
  cf.cond_br %more, ^body, ^exit
^body:
  %c1 = arith.constant 1 : index
  %v = "test.op"(%i) : (index) -> i32
  %next = arith.addi %i, %c1 : index
  %skip = arith.cmpi slt, %v, %zero : i32
  cf.cond_br %skip, ^head(%next, %s : index, i32), ^add
^add:
  %t = arith.addi %s, %v : i32
  cf.br ^head(%next, %t : index, i32)
^exit:
  "test.op"(%s) : (i32) -> ()
  spmd.return
}

// -----

// No scf.for: a step that may wrap, a counter that is asked for after the loop, an
// unsigned comparison.

// CHECK-LABEL: spmd.kernel @no_for
// CHECK-NOT:     scf.for
// CHECK:         scf.while
// CHECK:         scf.while
// CHECK:         scf.while
// CHECK-NOT:     scf.for
// CHECK:         spmd.return
spmd.kernel @no_for(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  cf.br ^first(%c0 : index)
^first(%i: index):
  %more = arith.cmpi slt, %i, %n : index
  cf.cond_br %more, ^first_body, ^second(%c0 : index)
^first_body:
  "test.op"(%i) : (index) -> ()
  %i2 = arith.addi %i, %c4 : index
  cf.br ^first(%i2 : index)
^second(%j: index):
  %more2 = arith.cmpi slt, %j, %n : index
  cf.cond_br %more2, ^second_body, ^after
^second_body:
  "test.op"(%j) : (index) -> ()
  %j2 = arith.addi %j, %c1 : index
  cf.br ^second(%j2 : index)
^after:
  "test.op"(%j) : (index) -> ()
  cf.br ^third(%c0 : index)
^third(%k: index):
  %more3 = arith.cmpi ult, %k, %n : index
  cf.cond_br %more3, ^third_body, ^exit
^third_body:
  "test.op"(%k) : (index) -> ()
  %k2 = arith.addi %k, %c1 : index
  cf.br ^third(%k2 : index)
^exit:
  spmd.return
}

// -----

// A step of 4 that says that it does not wrap.

// CHECK-LABEL: spmd.kernel @stride
// CHECK:         scf.for %i = %c0 to %n step %c4 {
// CHECK-NEXT:      "test.op"(%i)
// CHECK-NEXT:    }
// CHECK-NEXT:    spmd.return
spmd.kernel @stride(%n: index) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  cf.br ^head(%c0 : index)
^head(%i: index):
  %done = arith.cmpi sle, %n, %i : index
  cf.cond_br %done, ^exit, ^body
^body:
  "test.op"(%i) : (index) -> ()
  %next = arith.addi %c4, %i overflow<nsw> : index
  cf.br ^head(%next : index)
^exit:
  spmd.return
}

// -----

// A loop that is left where it begins.

// CHECK-LABEL: spmd.kernel @while
// CHECK-NEXT:    %a = scf.while ([[B:%.*]] = %n) : (i32) -> i32 {
// CHECK-NEXT:      %more = "test.op"([[B]]) : (i32) -> i1
// CHECK-NEXT:      scf.condition(%more) [[B]] : i32
// CHECK-NEXT:    } do {
// CHECK-NEXT:    ^{{.*}}([[A:%.*]]: i32):
// CHECK-NEXT:      %b = "test.op"([[A]]) {body} : (i32) -> i32
// CHECK-NEXT:      scf.yield %b : i32
// CHECK-NEXT:    }
// CHECK-NEXT:    "test.op"(%a)
spmd.kernel @while(%n: i32) {
  cf.br ^head(%n : i32)
^head(%a: i32):
  %more = "test.op"(%a) : (i32) -> i1
  cf.cond_br %more, ^body, ^exit(%a : i32)
^body:
  %b = "test.op"(%a) {body} : (i32) -> i32
  cf.br ^head(%b : i32)
^exit(%r: i32):
  "test.op"(%r) : (i32) -> ()
  spmd.return
}

// -----

// A loop that is left where it ends.

// CHECK-LABEL: spmd.kernel @do_while
// CHECK-NEXT:    [[R:%.*]] = scf.while (%a = %n) : (i32) -> i32 {
// CHECK-NEXT:      [[C:%.*]], %more = "test.op"(%a) : (i32) -> (i32, i1)
// CHECK-NEXT:      scf.condition(%more) [[C]] : i32
// CHECK-NEXT:    } do {
// CHECK-NEXT:    ^{{.*}}([[B:%.*]]: i32):
// CHECK-NEXT:      scf.yield [[B]] : i32
// CHECK-NEXT:    }
// CHECK-NEXT:    "test.op"([[R]])
spmd.kernel @do_while(%n: i32) {
  cf.br ^head(%n : i32)
^head(%a: i32):
  %b, %more = "test.op"(%a) : (i32) -> (i32, i1)
  cf.cond_br %more, ^head(%b : i32), ^exit
^exit:
  "test.op"(%b) : (i32) -> ()
  spmd.return
}

// -----

// Two exits to different places: %path says which one it was, in lanes that do not go around
// once more.

// CHECK-LABEL: spmd.kernel @two_exits
// CHECK:         %path = scf.while () : () -> i1 {
// CHECK-NEXT:      %a = "test.op"() {a} : () -> i1
// CHECK-NEXT:      %again = scf.if %a -> (i1) {
// CHECK-NEXT:        %b = "test.op"() {b} : () -> i1
// CHECK-NEXT:        scf.yield %b : i1
// CHECK-NEXT:      } else {
// CHECK-NEXT:        scf.yield %false : i1
// CHECK-NEXT:      }
// CHECK-NEXT:      scf.condition(%again) %a : i1
// CHECK-NEXT:    } do {
// CHECK-NEXT:    ^{{.*}}(%{{.*}}: i1):
// CHECK-NEXT:      scf.yield
// CHECK-NEXT:    }
// CHECK-NEXT:    scf.if %path {
// CHECK-NEXT:      "test.op"() {broken}
// CHECK-NEXT:    }
// CHECK-NEXT:    "test.op"() {exit}
// CHECK-NEXT:    spmd.return
spmd.kernel @two_exits() {
  cf.br ^head
^head:
  %a = "test.op"() {a} : () -> i1
  cf.cond_br %a, ^body, ^exit
^body:
  %b = "test.op"() {b} : () -> i1
  cf.cond_br %b, ^head, ^broken
^broken:
  "test.op"() {broken} : () -> ()
  cf.br ^exit
^exit:
  "test.op"() {exit} : () -> ()
  spmd.return
}

// -----

// Three exits to different places.

// CHECK-LABEL: spmd.kernel @three_exits
// CHECK:         [[WAY:%.*]] = scf.while () : () -> index {
// CHECK:         scf.index_switch [[WAY]]
// CHECK-NEXT:    case 1 {
// CHECK-NEXT:      "test.op"() {x}
// CHECK:         case 2 {
// CHECK-NEXT:      "test.op"() {y}
// CHECK:         default {
// CHECK-NEXT:      "test.op"() {z}
// CHECK:         spmd.return
spmd.kernel @three_exits(%a: i1, %b: i1, %c: i1) {
  cf.br ^head
^head:
  cf.cond_br %a, ^x, ^second
^second:
  cf.cond_br %b, ^y, ^third
^third:
  cf.cond_br %c, ^z, ^head
^x:
  "test.op"() {x} : () -> ()
  spmd.return
^y:
  "test.op"() {y} : () -> ()
  spmd.return
^z:
  "test.op"() {z} : () -> ()
  spmd.return
}

// -----

// An inner loop that can leave both.

// CHECK-LABEL: spmd.kernel @leave_both
// CHECK:         scf.while () : () -> () {
// CHECK-NEXT:      [[DONE:%.*]] = scf.while () : () -> i1 {
// CHECK-NEXT:        %a = "test.op"() {a} : () -> i1
// CHECK-NEXT:        [[NOT:%.*]] = arith.xori %a, %true : i1
// CHECK-NEXT:        [[AGAIN:%.*]] = scf.if %a -> (i1) {
// CHECK-NEXT:          %b = "test.op"() {b} : () -> i1
// CHECK-NEXT:          scf.yield %b : i1
// CHECK-NEXT:        } else {
// CHECK-NEXT:          scf.yield %false : i1
// CHECK-NEXT:        }
// CHECK-NEXT:        scf.condition([[AGAIN]]) [[NOT]] : i1
// CHECK-NEXT:      } do {
// CHECK-NEXT:      ^{{.*}}(%{{.*}}: i1):
// CHECK-NEXT:        scf.yield
// CHECK-NEXT:      }
// CHECK-NEXT:      scf.if [[DONE]] {
// CHECK-NEXT:        "test.op"() {next}
// CHECK-NEXT:      }
// CHECK-NEXT:      scf.condition([[DONE]])
// CHECK-NEXT:    } do {
// CHECK-NEXT:      scf.yield
// CHECK-NEXT:    }
// CHECK-NEXT:    spmd.return
spmd.kernel @leave_both() {
  cf.br ^outer
^outer:
  cf.br ^inner
^inner:
  %a = "test.op"() {a} : () -> i1
  cf.cond_br %a, ^look, ^next
^look:
  %b = "test.op"() {b} : () -> i1
  cf.cond_br %b, ^inner, ^exit
^next:
  "test.op"() {next} : () -> ()
  cf.br ^outer
^exit:
  spmd.return
}

// -----

// A return in a loop.

// CHECK-LABEL: spmd.kernel @return_in_loop
// CHECK:         %{{.*}}, %path = scf.while (%i = %c0) : (index) -> (index, i1) {
// CHECK:           scf.condition(%{{.*}}) %{{.*}} : index, i1
// CHECK:         scf.if %path {
// CHECK-NEXT:      "test.op"() {rest}
// CHECK-NEXT:    }
// CHECK-NEXT:    spmd.return
spmd.kernel @return_in_loop(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  cf.br ^head(%c0 : index)
^head(%i: index):
  %more = arith.cmpi slt, %i, %n : index
  cf.cond_br %more, ^body, ^rest
^body:
  %stop = "test.op"(%i) : (index) -> i1
  %next = arith.addi %i, %c1 : index
  cf.cond_br %stop, ^out, ^head(%next : index)
^out:
  spmd.return
^rest:
  "test.op"() {rest} : () -> ()
  spmd.return
}

// -----

// Nothing is after a loop without an end.

// CHECK-LABEL: spmd.kernel @endless
// CHECK:         scf.while () : () -> () {
// CHECK-NEXT:      "test.op"()
// CHECK-NEXT:      scf.condition(%true)
// CHECK-NEXT:    } do {
// CHECK-NEXT:      scf.yield
// CHECK-NEXT:    }
// CHECK-NEXT:    spmd.return
spmd.kernel @endless() {
  cf.br ^head
^head:
  "test.op"() : () -> ()
  cf.br ^head
}

// -----

// Regions are inlined, also deep inside; constants stand in front, and so does local memory.

// CHECK-LABEL: spmd.kernel @regions
// CHECK:         scf.for
// CHECK-NEXT:      %tile = spmd.local_alloc
// CHECK-NEXT:      %one = arith.constant 1 : i32
// CHECK-NEXT:      [[R:%.*]] = scf.if %c -> (i32) {
// CHECK-NEXT:        "test.op"(%tile)
// CHECK-NEXT:        scf.yield %one : i32
// CHECK-NEXT:      } else {
// CHECK-NEXT:        scf.yield %a : i32
// CHECK-NEXT:      }
// CHECK-NEXT:      "test.op"([[R]], %a)
// CHECK-NEXT:    }
// CHECK-NEXT:    spmd.return
spmd.kernel @regions(%n: index, %c: i1, %a: i32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %r = scf.execute_region -> (i32) {
      cf.cond_br %c, ^then, ^join(%a : i32)
    ^then:
      %tile = spmd.local_alloc : memref<64xf32, #spmd.memory<local>>
      %one = arith.constant 1 : i32
      "test.op"(%tile) : (memref<64xf32, #spmd.memory<local>>) -> ()
      cf.br ^join(%one : i32)
    ^join(%v: i32):
      scf.yield %v : i32
    }
    %s = scf.execute_region -> (i32) {
      scf.yield %a : i32
    }
    "test.op"(%r, %s) : (i32, i32) -> ()
  }
  spmd.return
}

// -----

// A value from outside of the loop that only passes through is no part of its state.

// CHECK-LABEL: spmd.kernel @pass_through
// CHECK:         scf.while () : () -> () {
// CHECK:         "test.op"(%a)
spmd.kernel @pass_through(%a: i32) {
  cf.br ^head(%a : i32)
^head(%b: i32):
  %more = "test.op"() : () -> i1
  cf.cond_br %more, ^head(%b : i32), ^exit(%b : i32)
^exit(%c: i32):
  "test.op"(%c) : (i32) -> ()
  spmd.return
}

// -----

// What is only passed on after a loop is a result of it.

// CHECK-LABEL: spmd.kernel @passed_on_only
// CHECK:         %{{.*}}, [[I:%.*]] = scf.while (%{{.*}} = %c0) : (i32) -> (i32, i32) {
// CHECK:         %last = arith.select %d, [[I]], %c0 : i32
spmd.kernel @passed_on_only(%x: memref<?xi32>, %n: i32, %d: i1) {
  %gid = spmd.global_id x
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  cf.br ^loop(%c0 : i32)
^loop(%i: i32):
  %next = arith.addi %i, %c1 : i32
  %again = arith.cmpi ne, %next, %n : i32
  cf.cond_br %again, ^loop(%next : i32), ^after
^after:
  cf.cond_br %d, ^end(%i : i32), ^end(%c0 : i32)
^end(%last: i32):
  memref.store %last, %x[%gid] : memref<?xi32>
  spmd.return
}

// -----

// What a loop goes on with and what it is left with are two values: lanes that go on have
// the same, others leave with what they have.

// CHECK-LABEL: spmd.kernel @left_with
// CHECK:         %{{.*}}, [[LAST:%.*]], %path = scf.while ([[K:%.*]] = %c0) : (i32) -> (i32, i32, i1) {
// CHECK:           [[ON:%.*]], %again = scf.if %m -> (i32, i1) {
// CHECK:             [[NEXT:%.*]] = scf.if %hit -> (i32) {
// CHECK-NEXT:          scf.yield %undefined : i32
// CHECK-NEXT:        } else {
// CHECK:               scf.yield %next : i32
// CHECK:             scf.yield [[NEXT]], %{{.*}} : i32, i1
// CHECK:           scf.condition(%again) [[ON]], [[K]], %m : i32, i32, i1
// CHECK:         "test.op"([[LAST]]) : (i32) -> ()
spmd.kernel @left_with(%n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  cf.br ^head(%c0 : i32)
^head(%k: i32):
  %m = arith.cmpi slt, %k, %n : i32
  cf.cond_br %m, ^body, ^exit
^body:
  %hit = "test.op"() : () -> i1
  cf.cond_br %hit, ^found, ^next
^next:
  %next = arith.addi %k, %c1 : i32
  "test.op"() : () -> ()
  cf.br ^head(%next : i32)
^found:
  "test.op"(%k) : (i32) -> ()
  cf.br ^exit
^exit:
  spmd.return
}

// -----

// The counter of another loop is none of this one.

// CHECK-LABEL: spmd.kernel @counts_elsewhere
// CHECK-NOT:     scf.for
spmd.kernel @counts_elsewhere(%n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  cf.br ^outer(%c0 : i32)
^outer(%i: i32):
  %next = arith.addi %i, %c1 : i32
  cf.br ^inner(%c0 : i32)
^inner(%j: i32):
  %more = arith.cmpi slt, %i, %n : i32
  cf.cond_br %more, ^body, ^after
^body:
  %k = arith.addi %i, %c1 : i32
  "test.op"() : () -> ()
  cf.br ^inner(%k : i32)
^after:
  %again = "test.op"() : () -> i1
  cf.cond_br %again, ^outer(%next : i32), ^exit
^exit:
  spmd.return
}

// -----

// CHECK: expected reducible control flow, in which each loop of blocks is entered in one place, got a loop that is entered by cf.cond_br ({{.*}}:{{[0-9]+}}:3) at test.op ({{.*}}:{{[0-9]+}}:3) and by cf.cond_br ({{.*}}:{{[0-9]+}}:3) at test.op ({{.*}}:{{[0-9]+}}:3); let both edges lead to one block, with an argument that says where to go on
spmd.kernel @two_entries(%a: i1, %b: i1) {
  cf.cond_br %a, ^first, ^second
^first:
  "test.op"() : () -> ()
  cf.br ^second
^second:
  "test.op"() : () -> ()
  cf.cond_br %b, ^first, ^exit
^exit:
  spmd.return
}
