// RUN: xdsl-opt %s --verify-diagnostics --parsing-diagnostics --split-input-file | filecheck %s

// CHECK: expected spmd.fail inside a kernel or function, got it at module level
spmd.fail "outside"

// -----

// CHECK: expected spmd.poll inside a kernel or function, got it at module level
spmd.poll

// -----

// CHECK: expected a value for each of the 2 places in the message, got 1
func.func @too_few(%n: index) {
  spmd.fail "{} of {a|b}"(%n) : index
  func.return
}

// -----

// CHECK: expected a value for each of the 0 places in the message, got 1
func.func @too_many(%n: index) {
  spmd.fail "none"(%n) : index
  func.return
}

// -----

// CHECK: expected at most 32 values in a message, got 33
func.func @far_too_many(%n: i32) {
  spmd.fail "{}{}{}{}{}{}{}{}{}{}{}{}{}{}{}{}{}{}{}{}{}{}{}{}{}{}{}{}{}{}{}{}{}"
    (%n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n, %n)
    : i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32, i32
  func.return
}

// -----

// CHECK: expected braces in pairs ('{{[{][{]}}' for one that is meant as such), got 'open } it'
func.func @closed() {
  spmd.fail "open } it"
  func.return
}

// -----

// CHECK: expected '}' after '{', got 'close {it'
func.func @open() {
  spmd.fail "close {it"
  func.return
}

// -----

// CHECK: expected braces in pairs
func.func @nested(%n: i32) {
  spmd.fail "{a{b}}"(%n) : i32
  func.return
}

// -----

// CHECK: expected values of type index, i1, i8, i16, i32 or i64, got f32
func.func @float(%x: f32) {
  spmd.fail "{}"(%x) : f32
  func.return
}

// -----

// CHECK: expected values of type index, i1, i8, i16, i32 or i64, got i128
func.func @wide(%x: i128) {
  spmd.fail "{}"(%x) : i128
  func.return
}

// -----

// CHECK: expected a message without zero bytes, got one
func.func @zero() {
  spmd.fail "a\00b"
  func.return
}

// -----

// CHECK: expected 1 operand types but had 2
func.func @types(%x: i32) {
  spmd.fail "{}"(%x, %x) : i32
  func.return
}

// -----

// CHECK: expected a format such as 6d, 08x, .3f or <10.2e, at most 99 wide, got '^5'
func.func @format(%x: i32) {
  spmd.print "{:^5}"(%x) : i32
  func.return
}

// -----

// CHECK: expected a format such as 6d, 08x, .3f or <10.2e, at most 99 wide, got '100d'
func.func @width(%x: i32) {
  spmd.print "{:100d}"(%x) : i32
  func.return
}

// -----

// CHECK: expected a place in the message that is for f32, got '{:x}'
func.func @whole(%x: f32) {
  spmd.print "{:x}"(%x) : f32
  func.return
}

// -----

// CHECK: expected a place in the message that is for i32, got '{:.2f}'
func.func @fraction(%x: i32) {
  spmd.print "{:.2f}"(%x) : i32
  func.return
}

// -----

// CHECK: expected a place in the message that is for f64, got '{no|yes}'
func.func @words(%x: f64) {
  spmd.print "{no|yes}"(%x) : f64
  func.return
}

// -----

// CHECK: expected values that are numbers, got memref<2xf32>
func.func @array(%x: memref<2xf32>) {
  spmd.print "{}"(%x) : memref<2xf32>
  func.return
}
