"""Writes ONNX models of a few bytes: the logits of a text are the sums of its tokens' rows in a table.

Written straight as protocol buffers (onnx.proto of ONNX IR version 8), so that tests need no model compiler.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

_FLOAT, _INT64 = 1, 7
_INT_ATTRIBUTE = 2


def write_bag_model(table: NDArray[np.float32], *, masked: bool = True) -> bytes:
    """A model of `input_ids` (and `attention_mask` if masked), both (n, length) int64, with output `logits`.

    table: (vocabulary, outputs) float32; logits: (n, outputs), for each text the sum over its tokens.
    """
    nodes = [_node("Gather", ["table", "input_ids"], ["rows"])]
    inputs = [_value("input_ids", _INT64, ("n", "length"))]
    rows = "rows"
    if masked:
        inputs.append(_value("attention_mask", _INT64, ("n", "length")))
        nodes += [
            _node("Cast", ["attention_mask"], ["mask"], _int_attribute("to", _FLOAT)),
            _node("Unsqueeze", ["mask", "last"], ["wide"]),
            _node("Mul", ["rows", "wide"], ["kept"]),
        ]
        rows = "kept"
    nodes.append(_node("ReduceSum", [rows, "tokens"], ["logits"], _int_attribute("keepdims", 0)))
    graph = b"".join(_field(1, node) for node in nodes)
    graph += _field(2, b"bag")
    graph += _field(5, _tensor("table", table.astype("<f4"), _FLOAT))
    graph += _field(5, _tensor("last", np.array([2], dtype="<i8"), _INT64))
    graph += _field(5, _tensor("tokens", np.array([1], dtype="<i8"), _INT64))
    graph += b"".join(_field(11, one) for one in inputs)
    graph += _field(12, _value("logits", _FLOAT, ("n", table.shape[1])))
    opset = _field(1, b"") + _number(2, 13)
    return _number(1, 8) + _field(7, graph) + _field(8, opset)


def _node(kind: str, inputs: Sequence[str], outputs: Sequence[str], *attributes: bytes) -> bytes:
    node = b"".join(_field(1, one.encode()) for one in inputs)
    node += b"".join(_field(2, one.encode()) for one in outputs)
    return node + _field(4, kind.encode()) + b"".join(_field(5, one) for one in attributes)


def _int_attribute(name: str, value: int) -> bytes:
    return _field(1, name.encode()) + _number(3, value) + _number(20, _INT_ATTRIBUTE)


def _tensor(name: str, values: NDArray[np.generic], kind: int) -> bytes:
    dimensions = b"".join(_number(1, size) for size in values.shape)
    return dimensions + _number(2, kind) + _field(8, name.encode()) + _field(9, values.tobytes())


def _value(name: str, kind: int, shape: Sequence[str | int]) -> bytes:
    sizes = b"".join(
        _field(1, _number(1, one) if isinstance(one, int) else _field(2, one.encode())) for one in shape
    )
    return _field(1, name.encode()) + _field(2, _field(1, _number(1, kind) + _field(2, sizes)))


def _field(number: int, content: bytes) -> bytes:
    return _varint(number << 3 | 2) + _varint(len(content)) + content


def _number(number: int, value: int) -> bytes:
    return _varint(number << 3) + _varint(value)


def _varint(value: int) -> bytes:
    parts = bytearray()
    while value > 0x7F:
        parts.append(value & 0x7F | 0x80)
        value >>= 7
    parts.append(value)
    return bytes(parts)
