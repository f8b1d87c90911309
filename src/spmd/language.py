"""
The names of kernels in Python: `from spmd.language import global_id, barrier`.

`docs/python.md` shows how they are used.
"""

from spmd.frontends.python.names import all as all
from spmd.frontends.python.names import any as any
from spmd.frontends.python.names import atomic_add as atomic_add
from spmd.frontends.python.names import atomic_and as atomic_and
from spmd.frontends.python.names import atomic_cas as atomic_cas
from spmd.frontends.python.names import atomic_exchange as atomic_exchange
from spmd.frontends.python.names import atomic_max as atomic_max
from spmd.frontends.python.names import atomic_min as atomic_min
from spmd.frontends.python.names import atomic_or as atomic_or
from spmd.frontends.python.names import atomic_sub as atomic_sub
from spmd.frontends.python.names import atomic_xor as atomic_xor
from spmd.frontends.python.names import ballot as ballot
from spmd.frontends.python.names import barrier as barrier
from spmd.frontends.python.names import broadcast as broadcast
from spmd.frontends.python.names import constexpr as constexpr
from spmd.frontends.python.names import elect as elect
from spmd.frontends.python.names import enqueued_local_size as enqueued_local_size
from spmd.frontends.python.names import fma as fma
from spmd.frontends.python.names import global_id as global_id
from spmd.frontends.python.names import global_size as global_size
from spmd.frontends.python.names import group_id as group_id
from spmd.frontends.python.names import lane_id as lane_id
from spmd.frontends.python.names import local as local
from spmd.frontends.python.names import local_id as local_id
from spmd.frontends.python.names import local_size as local_size
from spmd.frontends.python.names import num_groups as num_groups
from spmd.frontends.python.names import num_sub_groups as num_sub_groups
from spmd.frontends.python.names import private as private
from spmd.frontends.python.names import reduce as reduce
from spmd.frontends.python.names import scan as scan
from spmd.frontends.python.names import shuffle as shuffle
from spmd.frontends.python.names import shuffle_down as shuffle_down
from spmd.frontends.python.names import shuffle_rotate as shuffle_rotate
from spmd.frontends.python.names import shuffle_up as shuffle_up
from spmd.frontends.python.names import shuffle_xor as shuffle_xor
from spmd.frontends.python.names import sub_group_id as sub_group_id
from spmd.frontends.python.names import sub_group_size as sub_group_size
