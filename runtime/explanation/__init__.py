"""
What became of a kernel, and why it is not faster: `Kernel.explain`, `spmd-run --explain`.

Passes say what they decide where they decide it, in remarks (`dialects/remarks.py`).
`decisions.py` listens while they run and makes data of it (`facts.py`), with what
`memory.py` and `lines.py` read in the IR of that moment and `accesses.py` in the vector
code at the end; `text.py` is for people.
"""
