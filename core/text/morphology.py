"""Japanese content words by SudachiPy: small dictionary, mode A, normalised forms."""

import threading
from collections.abc import Iterable, Iterator
from functools import cache
from importlib import import_module, metadata
from importlib.util import find_spec
from typing import Protocol

from core.text.stopwords import JAPANESE

_DROPPED = frozenset({"助詞", "助動詞", "記号", "補助記号", "空白", "感動詞", "接続詞"})
_MAX_BYTES = 49_149
"""SudachiPy refuses longer input."""
_PIECE = _MAX_BYTES // 4
"""Characters that always fit: a character takes at most four bytes."""


class _Morpheme(Protocol):
    def part_of_speech_id(self) -> int: ...
    def normalized_form(self) -> str: ...


class _Tokenizer(Protocol):
    def tokenize(self, text: str) -> Iterable[_Morpheme]: ...


class _Dictionary(Protocol):
    def tokenizer(self, mode: object) -> _Tokenizer: ...
    def pos_of(self, pos_id: int) -> tuple[str, ...] | None: ...


def morphology_available() -> bool:
    """Say whether the tokenizer and its small dictionary are installed."""
    return find_spec("sudachipy") is not None and find_spec("sudachidict_small") is not None


@cache
def morphology_version() -> str:
    """Name the versions of tokenizer and dictionary, for an analyser's id."""
    return f"sudachipy-{metadata.version('sudachipy')}+small-{metadata.version('sudachidict-small')}"


def content_words(text: str) -> list[str]:
    """List the normalised forms of the content words of a Japanese text, in order, with repeats.

    Particles, auxiliaries, symbols and light words are left out. Text of any length and script passes.
    """
    words: list[str] = []
    tokenizer = _tokenizer()
    for piece in split_pieces(text, _PIECE):
        for morpheme in tokenizer.tokenize(piece):
            if _keeps(morpheme.part_of_speech_id()):
                word = morpheme.normalized_form()
                if word not in JAPANESE:
                    words.append(word.lower())
    return words


def split_pieces(text: str, limit: int) -> Iterator[str]:
    """Cut a text into pieces of at most limit characters, at line or sentence ends where there are any.

    The pieces joined are the text.
    """
    start = 0
    while len(text) - start > limit:
        end = start + limit
        cut = max(text.rfind(mark, start, end) for mark in "\n。 、") + 1
        cut = cut if cut > start else end
        yield text[start:cut]
        start = cut
    if start < len(text):
        yield text[start:]


_lock = threading.Lock()
_local = threading.local()
_shared: list[_Dictionary] = []
_kept: dict[int, bool] = {}


def _dictionary() -> _Dictionary:
    """Return the dictionary, 80 MB, loaded once for all threads."""
    with _lock:
        if not _shared:
            _shared.append(import_module("sudachipy").Dictionary(dict="small"))
        return _shared[0]


def _tokenizer() -> _Tokenizer:
    """Return this thread's tokenizer: SudachiPy raises when one is used by two threads at once."""
    tokenizer: _Tokenizer | None = getattr(_local, "tokenizer", None)
    if tokenizer is None:
        tokenizer = _dictionary().tokenizer(mode=import_module("sudachipy").SplitMode.A)
        _local.tokenizer = tokenizer
    return tokenizer


def _keeps(part_of_speech: int) -> bool:
    kept = _kept.get(part_of_speech)
    if kept is None:
        name = _dictionary().pos_of(part_of_speech)
        kept = name is not None and name[0] not in _DROPPED
        _kept[part_of_speech] = kept
    return kept
