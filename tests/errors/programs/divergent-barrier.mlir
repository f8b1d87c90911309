// 7:5: expected all work-items of the group to reach spmd.barrier, got one under scf.if (6:3), whose condition differs between work-items: %l = spmd.local_id x -> %low = arith.cmpi ult; move it out, or say divergent-barriers=allow if the condition is the same in all of them
spmd.kernel @k() {
  %l = spmd.local_id x
  %c8 = arith.constant 8 : index
  %low = arith.cmpi ult, %l, %c8 : index
  scf.if %low {
    spmd.barrier
  }
  spmd.return
}
