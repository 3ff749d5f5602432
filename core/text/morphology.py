"""Japanese content words by SudachiPy: small dictionary, mode A, normalised forms."""

import threading
from collections.abc import Iterable, Iterator
from functools import cache, lru_cache
from importlib import import_module, metadata
from importlib.util import find_spec
from typing import NamedTuple, Protocol

from core.text.stopwords import JAPANESE

_DROPPED = frozenset({"助詞", "助動詞", "記号", "補助記号", "空白", "感動詞", "接続詞"})
_NOMINAL = frozenset({"名詞", "接頭辞", "接尾辞", "形状詞", "代名詞"})
_LONGEST_COMPOUND = 8
_CACHED_LENGTH = 200
_MAX_BYTES = 49_149
"""SudachiPy refuses longer input."""
_PIECE = _MAX_BYTES // 4
"""Characters that always fit: a character takes at most four bytes."""


class _Morpheme(Protocol):
    def surface(self) -> str: ...
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


def content_words(text: str, with_compounds: bool = False) -> list[str]:
    """List the normalised forms of the content words of a Japanese text, in order, with repeats.

    Particles, auxiliaries, symbols and light words are left out. with_compounds: two to eight nouns in a
    row are also given as one word, behind their last (有給, 休暇, 有給休暇). Text of any length and script
    passes.
    """
    words: list[str] = []
    for piece in split_pieces(text, _PIECE):
        morphemes = _known_morphemes(piece) if len(piece) <= _CACHED_LENGTH else _morphemes(piece)
        compound: list[str] = []
        for morpheme in morphemes:
            if with_compounds and not morpheme.is_nominal:
                _close(compound, words)
            words += morpheme.content
            if morpheme.is_nominal:
                compound += morpheme.words
        if with_compounds:
            _close(compound, words)
    return words


class _Read(NamedTuple):
    """A morpheme as its normalised words, none if it is dropped; content: those that are not light."""

    words: tuple[str, ...]
    content: tuple[str, ...]
    is_nominal: bool


def _morphemes(piece: str) -> tuple[_Read, ...]:
    found = []
    for morpheme in _tokenizer().tokenize(piece):
        is_kept, is_nominal = _role(morpheme.part_of_speech_id())
        word = morpheme.normalized_form().lower() if is_kept else ""
        # The dictionary takes 三十日 for the last day of a month in the old calendar.
        words = ("30", "日") if word == "晦日" and morpheme.surface() == "三十日" else (word,)
        kept = words if is_kept else ()
        found.append(_Read(kept, tuple(part for part in kept if part not in JAPANESE), is_nominal))
    return tuple(found)


_known_morphemes = lru_cache(maxsize=4096)(_morphemes)
"""The lines of an answer's sources are read for the search, for the answer and for the measure."""


def _close(compound: list[str], words: list[str]) -> None:
    if 2 <= len(compound) <= _LONGEST_COMPOUND:
        words.append("".join(compound))
    compound.clear()


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
_roles: dict[int, tuple[bool, bool]] = {}


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


def _role(part_of_speech: int) -> tuple[bool, bool]:
    """Say whether words of this part of speech are content words, and whether they form compounds."""
    role = _roles.get(part_of_speech)
    if role is None:
        tags = _dictionary().pos_of(part_of_speech) or ("",)
        role = tags[0] not in _DROPPED, tags[0] in _NOMINAL
        _roles[part_of_speech] = role
    return role
