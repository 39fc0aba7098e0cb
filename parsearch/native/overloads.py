"""What `bits` means to Numba. Importing this module teaches it; only compiling needs it."""

# ruff: noqa: ARG001 an overload's arguments say what it is for; those of the function that it returns are used
# mypy: disallow-untyped-defs=False, disallow-untyped-calls=False, disallow-untyped-decorators=False

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.cpython.unsafe.tuple import tuple_setitem
from numba.extending import intrinsic, overload
from numpy import uint64

from parsearch.native import bits

_INLINE = {"forceinline": True}


@intrinsic
def _ctpop(typingctx: Any, word: Any) -> Any:
    return types.int64(types.uint64), lambda _context, builder, _signature, args: builder.ctpop(args[0])


@intrinsic
def _cttz(typingctx: Any, word: Any) -> Any:
    def build(context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        return builder.cttz(args[0], context.get_constant(types.boolean, False))

    return types.int64(types.uint64), build


@intrinsic
def _ctlz(typingctx: Any, word: Any) -> Any:
    def build(context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        return builder.ctlz(args[0], context.get_constant(types.boolean, False))

    return types.int64(types.uint64), build


@intrinsic
def _bswap(typingctx: Any, word: Any) -> Any:
    return types.uint64(types.uint64), lambda _context, builder, _signature, args: builder.bswap(args[0])


@overload(bits.popcount, jit_options=_INLINE)
def _popcount(word):
    return lambda word: _ctpop(uint64(word))


@overload(bits.ctz, jit_options=_INLINE)
def _ctz(word):
    return lambda word: _cttz(uint64(word))


@overload(bits.clz, jit_options=_INLINE)
def _clz(word):
    return lambda word: _ctlz(uint64(word))


@overload(bits.lowest, jit_options=_INLINE)
def _lowest(word):
    return lambda word: uint64(word) & (~uint64(word) + uint64(1))


@overload(bits.drop_lowest, jit_options=_INLINE)
def _drop_lowest(word):
    return lambda word: uint64(word) & (uint64(word) - uint64(1))


@overload(bits.bswap, jit_options=_INLINE)
def _byte_swap(word):
    return lambda word: _bswap(uint64(word))


@overload(bits.add64, jit_options=_INLINE)
def _add64(left, right):
    return lambda left, right: uint64(left) + uint64(right)


@overload(bits.sub64, jit_options=_INLINE)
def _sub64(left, right):
    return lambda left, right: uint64(left) - uint64(right)


@overload(bits.mul64, jit_options=_INLINE)
def _mul64(left, right):
    return lambda left, right: uint64(left) * uint64(right)


@overload(bits.mix64, jit_options=_INLINE)
def _mix64(word):
    def mix(word):
        mixed = uint64(word)
        mixed = (mixed ^ (mixed >> uint64(30))) * uint64(0xBF58476D1CE4E5B9)
        mixed = (mixed ^ (mixed >> uint64(27))) * uint64(0x94D049BB133111EB)
        return mixed ^ (mixed >> uint64(31))

    return mix


@overload(bits.replaced, jit_options=_INLINE)
def _replaced(values, index, value):
    kind = values.dtype
    return lambda values, index, value: tuple_setitem(values, index, kind(value))


@intrinsic
def prefetch(typingctx: Any, array: Any, index: Any) -> Any:
    """Ask the processor to fetch a word of an array that will be wanted soon; goes on without waiting for it."""

    def build(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        words = context.make_array(signature.args[0])(context, builder, args[0])
        address = builder.bitcast(builder.gep(words.data, [args[1]]), ir.IntType(8).as_pointer())
        flag = ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [address.type, flag, flag, flag])
        function = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0i8")
        builder.call(function, [address, flag(0), flag(3), flag(1)])  # to read, keep it close, data
        return context.get_dummy_value()

    return types.void(array, types.int64), build
