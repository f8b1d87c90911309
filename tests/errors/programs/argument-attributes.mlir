// 2:1: 'spmd.kernel': 1 : i32 should be of base attribute dictionary
"spmd.kernel"() <{sym_name = "k", function_type = (i32) -> (), arg_attrs = [1 : i32]}> ({
^bb0(%x: i32):
  spmd.return
}) : () -> ()
