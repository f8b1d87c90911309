"""
Which work-item this is, and how many there are.

All results have type `index`, are not negative and do not change while a work-item runs.
Dimensions that a launch does not name have size 1.
"""

from __future__ import annotations

from abc import ABC

from xdsl.dialects.builtin import IndexType
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import AlwaysSpeculatable, NoMemoryEffect, Pure

from spmd.dialects.spmd.attributes import Dimension, DimensionAttr
from spmd.dialects.spmd.placement import expect_inside_function
from spmd.dialects.spmd.traits import Canonicalizes


class DimensionOp(IRDLOperation, ABC):
    """Base of the ops that ask for an id or a size in one dimension."""

    dimension = prop_def(DimensionAttr)
    result = result_def(IndexType)

    traits = traits_def(Pure(), Canonicalizes())

    def __init__(self, dimension: Dimension | str):
        super().__init__(
            properties={"dimension": DimensionAttr(Dimension(dimension))},
            result_types=[IndexType()],
        )

    def verify_(self) -> None:
        expect_inside_function(self)

    @classmethod
    def parse(cls, parser: Parser):
        dimension = parser.parse_str_enum(Dimension)
        attributes = parser.parse_optional_attr_dict()
        op = cls(dimension)
        op.attributes.update(attributes)
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(f" {self.dimension.data.value}")
        printer.print_op_attributes(self.attributes)


@irdl_op_definition
class GlobalIdOp(DimensionOp):
    """
    This work-item's place in the whole range.

    | name        | kind      | type            | meaning                              |
    | ----------- | --------- | --------------- | ------------------------------------ |
    | `dimension` | attribute | `x`, `y` or `z` | the dimension                        |
    | `result`    | result    | `index`         | from 0 to `spmd.global_size` - 1     |

    It is `enqueued_local_size * group_id + local_id`.

    Errors: an op outside of a kernel or function.

    ```mlir
    spmd.kernel @global_ids(%out: memref<?xindex>) {
      %i = spmd.global_id x
      memref.store %i, %out[%i] : memref<?xindex>
      spmd.return
    }
    // run: global_size = 5, group_size = 2, out = [0, 0, 0, 0, 0]
    // gives: out = [0, 1, 2, 3, 4]
    ```
    """

    name = "spmd.global_id"


@irdl_op_definition
class LocalIdOp(DimensionOp):
    """
    This work-item's place in its work-group.

    | name        | kind      | type            | meaning                              |
    | ----------- | --------- | --------------- | ------------------------------------ |
    | `dimension` | attribute | `x`, `y` or `z` | the dimension                        |
    | `result`    | result    | `index`         | from 0 to `spmd.local_size` - 1      |

    The linear local id is `x + X * (y + Y * z)` with the actual sizes X and Y of this
    group.

    Errors: an op outside of a kernel or function.

    ```mlir
    spmd.kernel @local_ids(%out: memref<?xindex>) {
      %i = spmd.global_id x
      %v = spmd.local_id x
      memref.store %v, %out[%i] : memref<?xindex>
      spmd.return
    }
    // run: global_size = 5, group_size = 2, out = [0, 0, 0, 0, 0]
    // gives: out = [0, 1, 0, 1, 0]
    ```
    """

    name = "spmd.local_id"


@irdl_op_definition
class GroupIdOp(DimensionOp):
    """
    Which work-group this is.

    | name        | kind      | type            | meaning                              |
    | ----------- | --------- | --------------- | ------------------------------------ |
    | `dimension` | attribute | `x`, `y` or `z` | the dimension                        |
    | `result`    | result    | `index`         | from 0 to `spmd.num_groups` - 1; the same in the whole group |

    Errors: an op outside of a kernel or function.

    ```mlir
    spmd.kernel @group_ids(%out: memref<?xindex>) {
      %i = spmd.global_id x
      %v = spmd.group_id x
      memref.store %v, %out[%i] : memref<?xindex>
      spmd.return
    }
    // run: global_size = 5, group_size = 2, out = [0, 0, 0, 0, 0]
    // gives: out = [0, 0, 1, 1, 2]
    ```
    """

    name = "spmd.group_id"


@irdl_op_definition
class GlobalSizeOp(DimensionOp):
    """
    How many work-items there are.

    | name        | kind      | type            | meaning                              |
    | ----------- | --------- | --------------- | ------------------------------------ |
    | `dimension` | attribute | `x`, `y` or `z` | the dimension                        |
    | `result`    | result    | `index`         | at least 1; the same in all work-items |

    Errors: an op outside of a kernel or function.

    ```mlir
    spmd.kernel @global_sizes(%out: memref<?xindex>) {
      %i = spmd.global_id x
      %v = spmd.global_size x
      memref.store %v, %out[%i] : memref<?xindex>
      spmd.return
    }
    // run: global_size = 5, group_size = 2, out = [0, 0, 0, 0, 0]
    // gives: out = [5, 5, 5, 5, 5]
    ```
    """

    name = "spmd.global_size"


@irdl_op_definition
class LocalSizeOp(DimensionOp):
    """
    How many work-items this work-group has.

    | name        | kind      | type            | meaning                              |
    | ----------- | --------- | --------------- | ------------------------------------ |
    | `dimension` | attribute | `x`, `y` or `z` | the dimension                        |
    | `result`    | result    | `index`         | from 1 to `spmd.enqueued_local_size`; the same in the whole group |

    It is the actual size: the last group of a dimension is smaller if the global size is
    no multiple of the group size.

    Errors: an op outside of a kernel or function.

    ```mlir
    spmd.kernel @local_sizes(%out: memref<?xindex>) {
      %i = spmd.global_id x
      %v = spmd.local_size x
      memref.store %v, %out[%i] : memref<?xindex>
      spmd.return
    }
    // run: global_size = 5, group_size = 2, out = [0, 0, 0, 0, 0]
    // gives: out = [2, 2, 2, 2, 1]
    ```
    """

    name = "spmd.local_size"


@irdl_op_definition
class EnqueuedLocalSizeOp(DimensionOp):
    """
    How many work-items a full work-group has.

    | name        | kind      | type            | meaning                              |
    | ----------- | --------- | --------------- | ------------------------------------ |
    | `dimension` | attribute | `x`, `y` or `z` | the dimension                        |
    | `result`    | result    | `index`         | the nominal size: that of the kernel's `work_group_size`, or of the launch; the same in all work-items |

    Errors: an op outside of a kernel or function.

    ```mlir
    spmd.kernel @enqueued_local_sizes(%out: memref<?xindex>) {
      %i = spmd.global_id x
      %v = spmd.enqueued_local_size x
      memref.store %v, %out[%i] : memref<?xindex>
      spmd.return
    }
    // run: global_size = 5, group_size = 2, out = [0, 0, 0, 0, 0]
    // gives: out = [2, 2, 2, 2, 2]
    ```
    """

    name = "spmd.enqueued_local_size"


@irdl_op_definition
class NumGroupsOp(DimensionOp):
    """
    How many work-groups there are.

    | name        | kind      | type            | meaning                              |
    | ----------- | --------- | --------------- | ------------------------------------ |
    | `dimension` | attribute | `x`, `y` or `z` | the dimension                        |
    | `result`    | result    | `index`         | global size by nominal group size, rounded up; the same in all work-items |

    Errors: an op outside of a kernel or function.

    ```mlir
    spmd.kernel @numbers_of_groups(%out: memref<?xindex>) {
      %i = spmd.global_id x
      %v = spmd.num_groups x
      memref.store %v, %out[%i] : memref<?xindex>
      spmd.return
    }
    // run: global_size = 5, group_size = 2, out = [0, 0, 0, 0, 0]
    // gives: out = [3, 3, 3, 3, 3]
    ```
    """

    name = "spmd.num_groups"


class SubGroupQueryOp(IRDLOperation, ABC):
    """
    Base of the ops that ask for an id or a size of the sub-group.

    Between `spmd-to-loops` and `vectorize` they stand in work-item loops without
    depending on the loop's index. So they must not be hoisted: they have no effects, but
    are not speculatable.
    """

    result = result_def(IndexType)

    traits = traits_def(NoMemoryEffect(), Canonicalizes())

    assembly_format = "attr-dict"

    def __init__(self):
        super().__init__(result_types=[IndexType()])

    def verify_(self) -> None:
        expect_inside_function(self)


@irdl_op_definition
class LaneIdOp(SubGroupQueryOp):
    """
    This work-item's place in its sub-group.

    | name     | kind   | type    | meaning                              |
    | -------- | ------ | ------- | ------------------------------------ |
    | `result` | result | `index` | from 0 to `spmd.sub_group_size` - 1  |

    Lanes follow the linear local id.

    Errors: an op outside of a kernel or function.

    ```mlir
    spmd.kernel @lanes(%out: memref<?xindex>) {
      %i = spmd.global_id x
      %v = spmd.lane_id
      memref.store %v, %out[%i] : memref<?xindex>
      spmd.return
    }
    // run: global_size = 9, group_size = 6, sub_group_size = 4, out = [0, 0, 0, 0, 0, 0, 0, 0, 0]
    // gives: out = [0, 1, 2, 3, 0, 1, 0, 1, 2]
    ```
    """

    name = "spmd.lane_id"


@irdl_op_definition
class SubGroupIdOp(SubGroupQueryOp):
    """
    Which sub-group of the work-group this is.

    | name     | kind   | type    | meaning                               |
    | -------- | ------ | ------- | ------------------------------------- |
    | `result` | result | `index` | from 0 to `spmd.num_sub_groups` - 1; the same in the whole sub-group |

    Errors: an op outside of a kernel or function.

    ```mlir
    spmd.kernel @sub_groups(%out: memref<?xindex>) {
      %i = spmd.global_id x
      %v = spmd.sub_group_id
      memref.store %v, %out[%i] : memref<?xindex>
      spmd.return
    }
    // run: global_size = 9, group_size = 6, sub_group_size = 4, out = [0, 0, 0, 0, 0, 0, 0, 0, 0]
    // gives: out = [0, 0, 0, 0, 1, 1, 0, 0, 0]
    ```
    """

    name = "spmd.sub_group_id"


@irdl_op_definition
class SubGroupSizeOp(SubGroupQueryOp):
    """
    How many lanes this sub-group has.

    | name     | kind   | type    | meaning                               |
    | -------- | ------ | ------- | ------------------------------------- |
    | `result` | result | `index` | from 1 to 64; the same in the whole sub-group |

    It is the actual size: the last sub-group of a group may be smaller than the others,
    and so is the only one of a small group. It counts the lanes that exist, whether or
    not they reach this op.

    Errors: an op outside of a kernel or function.

    ```mlir
    spmd.kernel @sub_group_sizes(%out: memref<?xindex>) {
      %i = spmd.global_id x
      %v = spmd.sub_group_size
      memref.store %v, %out[%i] : memref<?xindex>
      spmd.return
    }
    // run: global_size = 9, group_size = 6, sub_group_size = 4, out = [0, 0, 0, 0, 0, 0, 0, 0, 0]
    // gives: out = [4, 4, 4, 4, 2, 2, 3, 3, 3]
    ```
    """

    name = "spmd.sub_group_size"


@irdl_op_definition
class NumSubGroupsOp(SubGroupQueryOp):
    """
    How many sub-groups this work-group has.

    | name     | kind   | type    | meaning                               |
    | -------- | ------ | ------- | ------------------------------------- |
    | `result` | result | `index` | at least 1; the same in the whole group |

    It follows from the actual size of the group.

    Errors: an op outside of a kernel or function.

    ```mlir
    spmd.kernel @numbers_of_sub_groups(%out: memref<?xindex>) {
      %i = spmd.global_id x
      %v = spmd.num_sub_groups
      memref.store %v, %out[%i] : memref<?xindex>
      spmd.return
    }
    // run: global_size = 9, group_size = 6, sub_group_size = 4, out = [0, 0, 0, 0, 0, 0, 0, 0, 0]
    // gives: out = [2, 2, 2, 2, 2, 2, 1, 1, 1]
    ```
    """

    name = "spmd.num_sub_groups"

    traits = traits_def(AlwaysSpeculatable())
