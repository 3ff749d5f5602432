"""Whether a statement says the opposite of its source: a shared word negated, or its antonym instead."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from core.contribution.antonyms import english_antonyms, japanese_antonyms
from core.text.latin import CJK, stem
from core.text.normalise import normalise
from core.text.stopwords import ENGLISH

_ENGLISH_SCOPE_WORDS = 3
"""Words with a meaning of their own that a negation reaches."""
_JAPANESE_SCOPE_CHARACTERS = 10
_ENGLISH_CONTEXT = 30
_JAPANESE_CONTEXT = 15
"""Characters around a word within which its opposite must share a word with it."""

_WORD = re.compile(rf"[^\W\d_{CJK}]+(?:'[a-z]+)?|[\u4e00-\u9fff々]+|[ァ-ヺー]{{2,}}|[.;:!?,、。]")
_ENGLISH_NEGATION = re.compile(
    r"(?:not|no|never|none|nobody|nothing|neither|nor|without|cannot|unable|fails?|failed|hardly|lacks?|\w*n't)"
)
_SCOPE_ENDS = frozenset([*".;:!?,", "but", "because", "while", "although", "and"])
_PREPOSITIONS = frozenset(
    ["to", "of", "as", "in", "on", "at", "for", "by", "with", "from", "than", "that", "which", "who", "about"]
)
"""They end a scope that has reached a word of meaning: "not refer to a rule" denies no rule."""
_QUOTED = re.compile(r"\"[^\"\n]{1,80}\"|``[^`\n]{1,80}''|\u2018[^\u2019\n]{1,80}\u2019")
"""A title or phrase as it is called; what it denies is not what the sentence denies."""
_ENGLISH_EXCEPTION = re.compile(
    r"\bnot (?:only|just|merely|least)\b|\bno (?:later|more|less|fewer|sooner|doubt|matter)\b|\bnothing but\b"
    r"|\bwhether or not\b|\bno\. ?(?=\d)|\bwithout (?:a )?doubt\b|\bnot to mention\b"
)
_JAPANESE_EXCEPTION = re.compile(
    r"(?:なければ|なくては|ないと|ねば)(?:なりません|ならない|ならず|いけません|いけない)|かも(?:しれ|知れ)(?:ません|ない)"
    r"|に(?:ほか|他)なりません|に(?:ほか|他)ならない|に(?:過ぎ|すぎ)(?:ません|ない)|(?:だけ|ばかり)(?:では|で|じゃ)?なく|のみならず|では(?:なく|無く)(?:て)?"
    r"|少なく(?:とも|ない|ありません)|(?:やむ|ざる)を(?:得|え)(?:ない|ません|ず)|(?:間違|違)い(?:ない|ありません)"
    r"|(?:少|危|切|おこ|もったい)な(?:い|く(?!は)|かっ|さ)|かかわらず|関わらず|なくな|な(?:い|く)(?:ように|て済)|しか(?![けるたも]).{1,12}?(?:ない|ません)|絶え(?:ず|ない)|必ず|まず|先ず|わず|思わず|いず|はず"
)
_JAPANESE_NEGATION = re.compile(
    r"ません|ない|なかっ|なく|ずに|(?<=[わかさたなまらせれけきえべげめ])ず(?=[、。\s\u4e00-\u9fffァ-ヺ]|$)"
)
_JAPANESE_NONE = re.compile(
    r"(?:一[人つ匹頭台本枚個件度]|誰|だれ|何|どれ|いずれ)も[^、。]{0,12}?(?:ない|ません|なかっ)"
)
_JAPANESE_RUN = re.compile(r"[\u4e00-\u9fff々]+|[ァ-ヺー]{2,}")
_EMPTY = frozenset({"存在", "必要"})
"""What they deny is what stands before them: 添付する必要はありません."""
_JAPANESE_BORDER = re.compile("[、。「」（）()\\s]")


@dataclass(frozen=True, slots=True)
class Polarity:
    """What a text affirms and denies.

    english, japanese: its words that have antonyms -> the words around them.
    """

    affirmed: frozenset[str]
    denied: frozenset[str]
    english: Mapping[str, frozenset[str]]
    japanese: Mapping[str, frozenset[str]]


def read_polarity(text: str) -> Polarity:
    """Sort the words of a text into affirmed and denied, and note those that have an antonym."""
    folded = normalise(text)
    masked = _JAPANESE_EXCEPTION.sub(
        lambda match: "＿" * len(match.group()), _ENGLISH_EXCEPTION.sub(" ", _unquoted(folded))
    )
    negated = _negated_positions(masked)
    affirmed: set[str] = set()
    denied: set[str] = set()
    words: list[tuple[str, int]] = []
    scope = _Scope()
    for match in _WORD.finditer(masked):
        word = match.group()
        if word in "、。":
            continue
        if not word[0].isascii():
            (denied if match.start() in negated else affirmed).add(word)
            words.append((word, match.start()))
        elif scope.holds_meaning(word):
            words.append((stem(word), match.start()))
            if word not in ENGLISH:
                (denied if scope.denies() else affirmed).add(stem(word))
    opposites = [(match.group(), match.start()) for match in _opposite_pattern().finditer(folded)]
    return Polarity(
        frozenset(affirmed),
        frozenset(denied),
        _around([(word, at) for word, at in words if word in english_antonyms()], words, _ENGLISH_CONTEXT),
        _around(opposites, words, _JAPANESE_CONTEXT),
    )


class _Scope:
    """Follows how far an English negation reaches, word by word."""

    def __init__(self) -> None:
        self._left = 0

    def holds_meaning(self, word: str) -> bool:
        """Take in the next word; False for punctuation and negations, which mean nothing by themselves."""
        if word in _SCOPE_ENDS:
            self._left = 0
            return word.isalpha()
        if _ENGLISH_NEGATION.fullmatch(word):
            self._left = _ENGLISH_SCOPE_WORDS
            return False
        if word in _PREPOSITIONS and 0 < self._left < _ENGLISH_SCOPE_WORDS:
            self._left = 0
        return True

    def denies(self) -> bool:
        """Whether the word just taken in, one of meaning, is denied."""
        self._left -= 1
        return self._left >= 0


def negation_mismatch(statement: Polarity, source: Polarity) -> bool:
    """Say whether a word they share is denied by one and only affirmed by the other."""
    return bool(
        (statement.denied & source.affirmed) - source.denied - statement.affirmed
        or (statement.affirmed & source.denied) - source.affirmed - statement.denied
    )


def antonym_mismatch(statement: Polarity, source: Polarity) -> bool:
    """Say whether the statement has a word where the source, among the same words, has only its opposite."""
    return _opposed(statement.english, source.english, english_antonyms()) or _opposed(
        statement.japanese, source.japanese, japanese_antonyms()
    )


def _opposed(
    stated: Mapping[str, frozenset[str]],
    sourced: Mapping[str, frozenset[str]],
    antonyms: Mapping[str, frozenset[str]],
) -> bool:
    for word in stated.keys() - sourced.keys():
        opposites = antonyms[word] & sourced.keys()
        if opposites and not antonyms[word] & stated.keys():
            near = stated[word]
            if any(not near or not sourced[other] or near & sourced[other] for other in opposites):
                return True
    return False


def _around(
    found: Sequence[tuple[str, int]], words: Sequence[tuple[str, int]], reach: int
) -> dict[str, frozenset[str]]:
    """Collect for each found word the words that begin within `reach` characters of it."""
    context: dict[str, frozenset[str]] = {}
    for word, at in found:
        # A run such as 文字以下 holds the word itself; what is left of it is its neighbour.
        near = {
            other if other.isascii() else other.replace(word, "")
            for other, place in words
            if abs(place - at) <= reach and other != word and other not in ENGLISH
        }
        context[word] = context.get(word, frozenset()) | (near - {""})
    return context


def _unquoted(folded: str) -> str:
    return _QUOTED.sub(lambda match: match.group().replace("n't", "nt").replace(" not ", " "), folded)


def _negated_positions(text: str) -> set[int]:
    """Return where the words begin that Japanese negations deny: the last before one, all with "none"."""
    positions = set()
    for match in _JAPANESE_NEGATION.finditer(text):
        start = max(0, match.start() - _JAPANESE_SCOPE_CHARACTERS)
        start = max(
            [start, *(border.end() for border in _JAPANESE_BORDER.finditer(text, start, match.start()))]
        )
        runs = list(_JAPANESE_RUN.finditer(text, start, match.start()))
        if runs:
            positions.add(runs[-1].start())
        if len(runs) > 1 and runs[-1].group() in _EMPTY:
            positions.add(runs[-2].start())
    for match in _JAPANESE_NONE.finditer(text):
        start = max(text.rfind(mark, 0, match.start()) for mark in "。\n") + 1
        positions.update(run.start() for run in _JAPANESE_RUN.finditer(text, start, match.start()))
    return positions


@cache
def _opposite_pattern() -> re.Pattern[str]:
    longest_first = sorted(japanese_antonyms(), key=len, reverse=True)
    return re.compile("|".join(map(re.escape, longest_first)))
