"""What is compiled: a source and its options, or a module; and what was kept of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from spmd.dialects.interfaces.cached import cached_property
from spmd.lowering.loading.elf import MissingSymbols
from spmd.runtime.cache.stored import stored
from spmd.runtime.errors import CompileError, SourceText
from spmd.runtime.options import CompileOptions

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp
    from xdsl.ir import Operation

MadeT = TypeVar("MadeT")
UsedT = TypeVar("UsedT")


class Unit:
    """
    A module at level 0, which stays as it is, and how it is compiled.

    Of a source text it is made when it is first needed: what is in the cache needs none.
    """

    def __init__(
        self,
        source: SourceText | None,
        options: CompileOptions,
        module: ModuleOp | None,
    ):
        self.source = source
        self.options = options
        if module is not None:
            self.module = module

    @cached_property
    def module(self) -> ModuleOp:
        """The verified module, brought to level 0 from other dialects."""
        from spmd.runtime.pipeline import module_of

        assert self.source is not None, "a unit has a source or a module"
        return module_of(self.source)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickled and copied by source and options."""
        source = self.source or SourceText("<module>", str(self.module))
        return Unit, (source, self.options, None)

    def symbol(self, name: str) -> Operation:
        """The kernel or function of this name, which there is."""
        from xdsl.traits import SymbolTable

        op = SymbolTable.lookup_symbol(self.module, name)
        assert op is not None, "only names of what there is are asked for"
        return op

    @cached_property
    def _key(self) -> tuple[Any, ...]:
        if self.source is not None:
            return self.source, self.options
        from spmd.runtime.pipeline import text_with_locations

        return text_with_locations(self.module), self.options

    def stored(
        self,
        what: tuple[Any, ...],
        make: Callable[[], MadeT],
        use: Callable[[MadeT], UsedT],
    ) -> UsedT:
        """What `use` gives of what `make` gives, or gave in another process."""
        try:
            return stored((*self._key, *what), make, use, self._is_storable)
        except MissingSymbols as error:
            file = None if self.source is None else self.source.name
            raise CompileError(str(error), file=file) from None

    def _is_storable(self) -> bool:
        """Whether everything about the module follows from its text and this compiler."""
        from spmd.runtime.pipeline import is_of_own_dialects

        return is_of_own_dialects(self.module)
