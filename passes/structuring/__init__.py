"""From blocks to structured control flow, in three steps: graph, plan, code."""
