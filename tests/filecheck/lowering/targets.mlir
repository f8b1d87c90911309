// RUN: xdsl-opt -t 'spmd-llvm{cpu=x86-64-v4}' %s | filecheck %s --check-prefix WIDE
// RUN: xdsl-opt -t 'spmd-llvm{cpu=x86-64-v3}' %s | filecheck %s --check-prefix HALF
// RUN: xdsl-opt -t 'spmd-llvm{triple=aarch64-linux-gnu}' %s | filecheck %s --check-prefix ARM
// RUN: xdsl-opt -t 'spmd-asm{triple=x86_64-unknown-linux-gnu cpu=x86-64-v4}' %s | filecheck %s --check-prefix ASM
// RUN: xdsl-opt -t spmd-asm %s | filecheck %s --check-prefix HOST
// RUN: env PYTHONIOENCODING=utf-8:strict xdsl-opt -t spmd-object %s | python -c "import sys; print(sys.stdin.buffer.read()[1:4])" | filecheck %s --check-prefix OBJECT
// RUN: xdsl-opt -t 'spmd-object{file="%t.o"}' %s
// RUN: python -c "print(open('%t.o', 'rb').read(4)[1:])" | filecheck %s --check-prefix OBJECT
// RUN: not xdsl-opt -t 'spmd-asm{triple=nowhere}' %s 2>&1 | filecheck %s --check-prefix NOWHERE
// RUN: not xdsl-opt -t 'spmd-asm{cpu=sparrow}' %s 2>&1 | filecheck %s --check-prefix SPARROW
// RUN: not xdsl-opt -t 'spmd-object{features="+wings"}' %s 2>&1 | filecheck %s --check-prefix WINGS

// The machine chooses the vector functions.

func.func @sin(%v: vector<32xf32>) -> vector<32xf32> {
  %r = math.sin %v : vector<32xf32>
  func.return %r : vector<32xf32>
}

// WIDE: call <16 x float> @_ZGVeN16v_sinf(<16 x float> %x0.0)
// WIDE-NEXT: shufflevector
// WIDE-NEXT: call <16 x float> @_ZGVeN16v_sinf(<16 x float> %x0.1)
// WIDE-NOT: _ZGVeN16v_sinf(<16 x float> %x0.2)

// HALF-COUNT-4: call <8 x float> @_ZGVdN8v_sinf

// The parts come together pair by pair.
// HALF: %y.0.16 = shufflevector <8 x float> %y.0, <8 x float> %y.1, <16 x i32>
// HALF: %y.2.16 = shufflevector <8 x float> %y.2, <8 x float> %y.3, <16 x i32>
// HALF: shufflevector <16 x float> %y.0.16, <16 x float> %y.2.16, <32 x i32> <i32 0, i32 1, i32 2

// ARM: target triple = "aarch64-linux-gnu"
// ARM: call float @sinf

// ASM: spmd.sin:
// ASM: _ZGVeN16v_sinf

// HOST: spmd.sin:

// OBJECT: ELF

// NOWHERE: KernelError: expected a triple that LLVM knows, got nowhere

// SPARROW: KernelError: expected a CPU and features that LLVM knows: 'sparrow'

// WINGS: KernelError: expected a CPU and features that LLVM knows: '+wings'
