// RUN: xdsl-opt %s --print-op-generic | xdsl-opt | filecheck %s
// RUN: xdsl-opt %s --print-op-generic | filecheck %s --check-prefix=GENERIC
// RUN: xdsl-opt %s -p cse,dce,licm,canonicalize | filecheck %s

// CHECK-LABEL: func.func @failures
// CHECK:       spmd.fail "nothing to say"
// CHECK-NEXT:  spmd.fail "{{[{][{]}}braces}} {} and {a|b \22c\22}"(%n, %b) : i8, i1
// CHECK-NEXT:  spmd.fail "of {}"(%i) {mine.note} : index
// CHECK-NEXT:  spmd.fail "of {}"(%i) {mine.note} : index
// CHECK-NEXT:  spmd.poll
// CHECK-NEXT:  spmd.poll {mine.note}

// CHECK-NEXT:  spmd.print "line\0A"
// CHECK-NEXT:  spmd.print "line\0A"
// CHECK-NEXT:  spmd.print "{:<8.3f} {u:02x} {no|yes}"(%f, %n, %b) : f32, i8, i1

// GENERIC: "spmd.fail"(%n, %b) <{message = {{.*}}}> : (i8, i1) -> ()
func.func @failures(%n: i8, %b: i1, %i: index, %f: f32) {
  spmd.fail "nothing to say"
  spmd.fail "{{braces}} {} and {a|b \"c\"}"(%n, %b) : i8, i1
  spmd.fail "of {}"(%i) {mine.note} : index
  spmd.fail "of {}"(%i) {mine.note} : index
  spmd.poll
  spmd.poll {mine.note}
  spmd.print "line\n"
  spmd.print "line\n"
  spmd.print "{:<8.3f} {u:02x} {no|yes}"(%f, %n, %b) : f32, i8, i1
  func.return
}
