"""Read an answer in JSON: every value that says something becomes a block that knows its characters."""

import json
import re
from dataclasses import dataclass, replace

from core.contribution.blocks import Block, BlockBuilder, Mark, parse_numbers

_PIECE = re.compile(r'"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*|true|false|null|[{}\[\],:]', re.DOTALL)
_ESCAPE = re.compile(r"(?:\\u[0-9a-fA-F]{4})+|\\.", re.DOTALL)
_FENCED = re.compile(r"\s*```(?:json)?[^\S\n]*\n(?P<body>.*?)\n?\s*```\s*", re.DOTALL | re.IGNORECASE)
_CITING_KEY = re.compile(
    r"(?:citations?|cited|sources?|source_?(?:ids?|numbers?)|refs?|references?|出典|引用)", re.I
)
_TECHNICAL_KEY = re.compile(
    r"(?:.*_)?(?:id|url|uri|href|link|model|language|lang|confidence|score|probability|relevance|type|role|status|"
    r"format|version|usage|tokens|title|key|name|タイトル|言語)",
    re.IGNORECASE,
)
_ENDS_SENTENCE = re.compile(r"[。．！？.!?]\s*[」』)\]\"']*\s*(?:[\[［]\d[^\]］]*[\]］]\s*)*$")
_MAX_NESTING = 100


@dataclass(slots=True)
class _Frame:
    """An object or array being read; first_block: where its blocks begin, cited: what it names as sources."""

    is_object: bool
    key: str
    first_block: int
    cited: tuple[Mark, ...] = ()
    current_key: str = ""
    expects_key: bool = False


def find_json(text: str) -> tuple[int, str] | None:
    """Return offset and text of the one JSON object or array an answer consists of, bare or fenced."""
    fenced = _FENCED.fullmatch(text)
    start = fenced.start("body") if fenced else len(text) - len(text.lstrip())
    body = fenced.group("body") if fenced else text.strip()
    if body[:1] not in ("{", "[") or body[-1:] not in ("}", "]"):
        return None
    try:
        json.loads(body)
    except (ValueError, RecursionError):
        return None
    return start, body


def json_blocks(text: str, offset: int) -> list[Block]:
    """List the values of a valid JSON document in order; a short one is read together with its key.

    offset: where the document begins in the answer. Arrays of numbers under a key such as "citations" are
    citation marks for the texts of the same object. Values under technical keys (id, url, model, ...) are
    kept as code.
    """
    return _JsonReader(offset).read(text)


class _JsonReader:
    def __init__(self, offset: int) -> None:
        self._offset = offset
        self._blocks: list[Block] = []
        self._frames: list[_Frame] = []

    def read(self, text: str) -> list[Block]:
        for match in _PIECE.finditer(text):
            piece = match.group()
            frame = self._frames[-1] if self._frames else None
            if piece in "{[":
                key = frame.current_key if frame else ""
                self._frames.append(_Frame(piece == "{", key, len(self._blocks), expects_key=piece == "{"))
            elif piece in "}]":
                self._close(self._frames.pop())
            elif piece == ",":
                if frame and frame.is_object:
                    frame.expects_key = True
            elif piece == ":":
                pass
            elif frame and frame.is_object and frame.expects_key:
                frame.current_key = str(json.loads(piece))
                frame.expects_key = False
            else:
                self._value(piece, match.start() + self._offset)
        return self._blocks

    def _value(self, piece: str, at: int) -> None:
        frame = self._frames[-1]
        key = frame.current_key if frame.is_object else frame.key
        numbers = parse_numbers(piece.strip('"[] ')) if _CITING_KEY.fullmatch(key) else ()
        holder = self._frames[-1] if frame.is_object else self._frames[-2] if len(self._frames) > 1 else frame
        end = at + len(piece)
        if numbers:
            holder.cited += (Mark(0, numbers, at, end),)
            return
        if piece in ("null", '""'):
            return
        builder = BlockBuilder()
        technical = _TECHNICAL_KEY.fullmatch(key) is not None or _CITING_KEY.fullmatch(key) is not None
        if piece.startswith('"'):
            value, offsets = _decode(piece, at)
            if key and not technical and not _ENDS_SENTENCE.search(value):
                builder.add_literal(f"{key}: ", [at] * (len(key) + 2))
            _add_value(builder, value, offsets)
        else:
            builder.add_literal(
                f"{key}: {piece}" if key else piece,
                [at] * (len(key) + 2 if key else 0) + list(range(at, end)),
            )
        self._blocks.append(builder.build("code" if technical else "value", at, end))

    def _close(self, frame: _Frame) -> None:
        """Give the sources that an object names to every block in it."""
        if not frame.cited:
            return
        for index in range(frame.first_block, len(self._blocks)):
            block = self._blocks[index]
            marks = tuple(replace(mark, position=len(block.text)) for mark in frame.cited)
            self._blocks[index] = replace(block, marks=block.marks + marks)


def _add_value(builder: BlockBuilder, value: str, offsets: list[int]) -> None:
    """Append a decoded string; pieces whose characters are consecutive in the answer keep their marks."""
    start = 0
    for index in range(1, len(value) + 1):
        if index == len(value) or offsets[index] != offsets[index - 1] + 1:
            builder.add(value[start:index], offsets[start])
            start = index


def _decode(piece: str, at: int) -> tuple[str, list[int]]:
    """Decode a JSON string and give for each character where it stands in the answer."""
    parts: list[str] = []
    offsets: list[int] = []
    done = 1
    for match in [*_ESCAPE.finditer(piece, 1, len(piece) - 1), None]:
        end = match.start() if match else len(piece) - 1
        parts.append(piece[done:end])
        offsets.extend(range(at + done, at + end))
        if match:
            decoded = json.loads(f'"{match.group()}"')
            parts.append(decoded)
            offsets.extend([at + match.start()] * len(decoded))
            done = match.end()
    return "".join(parts), offsets
