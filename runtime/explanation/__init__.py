"""
What became of a kernel, and why it is not faster: `Kernel.explain`, `spmd-run --explain`.

Decisions that cost speed are attributes of the IR (`spmd.context`, `spmd.not_vectorized`,
`spmd.access`, ...), left by the pass that took them. The passes run one by one here, and
after each of them its attributes are read: `decisions.py` says when, `barriers.py` and
`loops.py` say what. The result is data (`facts.py`), for people in `text.py`.
"""
