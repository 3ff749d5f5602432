"""Whether two names or numbers of a statement stand in each other's place in its source."""

from __future__ import annotations

import math
import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations, product

from core.text.latin import CJK, stem
from core.text.normalise import normalise
from core.text.quantities import find_quantities
from core.text.stopwords import ENGLISH

_NEAR_CHARACTERS = 48.0
"""Distance at which a word counts 1/e of one beside the item; Japanese characters count double."""
_BORDER_FACTOR = 0.3
"""For each comma or conjunction between a word and an item."""
_SENTENCE_FACTOR = 0.2
_OTHER_SIDE = 0.4
"""Where a word stands before the item in one text and behind it in the other."""
_ROLE = 0.5
"""For the same particle or preposition at the item in both texts."""
_LITTLE = 0.1
"""Less than this speaking for either says nothing."""
_PLACES = 3
_REACH = 16
_TOLERATED = 0.4
"""Paraphrases move words about; an exchange that fits only a little better says nothing."""
_MOST_ITEMS = 12

_JAPANESE = re.compile(rf"[{CJK}]")
_TOKEN = re.compile(
    r"[\u4e00-\u9fff々〆]+|[ァ-ヺー]{2,}|[^\W\d_\u3041-\u30ff\u4e00-\u9fff々〆ー][\w'’-]*(?<![\u3041-\u30ff\u4e00-\u9fff])"
)
_HONORIFIC = re.compile(r"さん|様|さま|氏|君|くん|ちゃん")
_PARTICLE = re.compile(r"によって|による|により|から|まで|より|への|へ|に|が|は|も|を|で|と|の")
_ROLES = {
    "は": "が",
    "も": "が",
    "によって": "が",
    "による": "が",
    "により": "が",
    "へ": "に",
    "への": "に",
    "の": "",
    "で": "",
}
"""Particles that say the same; の and で tie words in too many ways to say anything."""
_PASSIVE_ROLES = {"は": "を", "も": "を", "が": "を", "に": "が", "から": "が"}
_INFLECTION = re.compile(r"[\u3041-\u3096]+")
_VERBAL = re.compile(r"(?:し|する|すれ|せ|さ|でき|いたし)")
_PASSIVE = re.compile(r"^[\u3041-\u3096]{0,2}?(?:さ|か|が|た|な|ば|ま|ら|わ)?れ(?:る|た|ま|て|、|ば)")
_KANA_PASSIVE = re.compile(r"[かがさたなばまらわ]れ(?:て(?:い|お)[\u3041-\u3096]*|た|る|ました|ます)$")
_SIMPLE_NOUN = re.compile(r"(?:が|を|は|も|の|に|へ|で|と|から|まで|より|や|です|だ|である|、|。|$|に)")
_BORDER = re.compile(r"[、,;；:]|\b(?:and|while|but|whereas)\b")
_SENTENCE = re.compile(r"[。!?！？\n]|\.(?=\s|$)")

_LIST = re.compile(
    r"(?:\s*(?:,|and|or|the|a|an|&|、|と|や|・|および|及び|または)\s*|\s+|[A-Z][\w.'’-]*|[ァ-ヺー]{2,})*"
)
"""What stands between the members of a list: commas, conjunctions, other names."""

_BE = frozenset(["is", "are", "was", "were", "be", "been", "being"])
_ARTICLES = frozenset(["the", "a", "an", "this", "that", "its", "their", "our", "your", "his", "her"])
_PREPOSITIONS = frozenset(
    [
        "to",
        "from",
        "in",
        "into",
        "at",
        "on",
        "by",
        "with",
        "for",
        "of",
        "over",
        "under",
        "after",
        "before",
        "through",
    ]
)
_FORMS = (
    "write wrote written/send sent/sell sold/buy bought/win won/lose lost/make made/hold held/keep kept/"
    "take took taken/give gave given/build built/lead led/lend lent/pay paid/find found/meet met/"
    "beat beaten/choose chose chosen/bring brought/catch caught/teach taught/tell told/say said/see saw seen/"
    "know knew known/begin began begun/drive drove driven/eat ate eaten/fall fell fallen/grow grew grown/"
    "leave left/rise rose risen/run ran/show shown/speak spoke spoken/stand stood/steal stole stolen/"
    "draw drew drawn/go went gone/come came/become became/get got gotten"
)
"""Verbs whose forms no stemmer joins, the first one stands for all."""
_IRREGULAR = {
    form: first for first, *others in (forms.split() for forms in _FORMS.split("/")) for form in others
}


@dataclass(frozen=True, slots=True)
class _Item:
    """A name, a noun or a number that can stand in the place of another of its kind.

    role: the particle behind it or the preposition before it, "" without one. kin: other words of the name.
    """

    key: str
    kind: str
    start: int
    end: int
    role: str
    kin: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class _Reading:
    """items: in order. words: key -> (where it stands, whether it is a passive verb), in order."""

    items: tuple[_Item, ...]
    words: Mapping[str, tuple[tuple[int, bool], ...]]
    borders: tuple[int, ...]
    sentences: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class _Texts:
    """The statement, its source, and the words that both have."""

    said: _Reading
    given: _Reading
    source: str
    context: tuple[str, ...]


def exchange_conflict(statement: str, source: str) -> float:
    """How much better two items of the statement fit the source in each other's place, 0 to 1.

    Items are names, nouns and numbers that both have. Each is known by its particle or preposition and by the
    words around it, on their side; a passive verb turns the sides round. 0 if every two items fit about as
    well where they are.
    """
    said = _read(statement)
    if len(said.items) < 2:
        return 0.0
    given = _read(source)
    there: dict[tuple[str, str], list[_Item]] = {}
    for item in given.items:
        there.setdefault((item.kind, item.key), []).append(item)
    texts = _Texts(said, given, source, tuple(word for word in said.words if word in given.words))
    counts = Counter((item.kind, item.key) for item in said.items)
    shared = [item for item in said.items if counts[item.kind, item.key] == 1]
    shared = [item for item in shared if (item.kind, item.key) in there][:_MOST_ITEMS]
    largest = 0.0
    for one, other in combinations(shared, 2):
        if one.kind == other.kind and other.key not in one.kin and not _listed(statement, one, other):
            places = product(there[one.kind, one.key][:_PLACES], there[other.kind, other.key][:_PLACES])
            largest = max(largest, _conflict_of_two(texts, (one, other), places))
    return largest


def _conflict_of_two(
    texts: _Texts, items: tuple[_Item, _Item], places: Iterable[tuple[_Item, _Item]]
) -> float:
    """The conflict where the source speaks most of the same. places: of both in the source."""
    own = {one.key for one in items} | items[0].kin | items[1].kin
    context = [word for word in texts.context if word not in own]
    found = []
    for pair in places:
        told, conflict = _compare(texts, context, items, pair)
        found.append((told, 0.0 if _listed(texts.source, *pair) else -conflict))
    return -max(found)[1]


def _compare(
    texts: _Texts, context: Sequence[str], items: tuple[_Item, _Item], places: tuple[_Item, _Item]
) -> tuple[float, float]:
    """How much the words around both say of these places, and the conflict."""
    gains, told = [_role_gain(items, places)], 0.0
    for word in context:
        here = [_nearest(texts.said, item, word) for item in items]
        there = [_nearest(texts.given, place, word) for place in places]
        straight = _match(here[0], there[0]) + _match(here[1], there[1])
        crossed = _match(here[0], there[1]) + _match(here[1], there[0])
        gains.append(crossed - straight)
        told += crossed + straight
    share = sum(gains) / (sum(map(abs, gains)) + _LITTLE)
    return told, max(0.0, (share - _TOLERATED) / (1 - _TOLERATED))


def _listed(text: str, one: _Item, other: _Item) -> bool:
    """Say whether two items stand in one list, where their order means nothing."""
    first, second = sorted((one, other), key=lambda item: item.start)
    return _LIST.fullmatch(text, first.end, second.start) is not None


def _role_gain(items: tuple[_Item, _Item], places: tuple[_Item, _Item]) -> float:
    straight = _same_role(items[0], places[0]) + _same_role(items[1], places[1])
    crossed = _same_role(items[0], places[1]) + _same_role(items[1], places[0])
    return _ROLE * (crossed - straight)


def _same_role(item: _Item, place: _Item) -> bool:
    return bool(item.role) and item.role == place.role


def _match(here: tuple[float, bool], there: tuple[float, bool]) -> float:
    return here[0] * there[0] * (1.0 if here[1] == there[1] else _OTHER_SIDE)


def _nearest(reading: _Reading, item: _Item, word: str) -> tuple[float, bool]:
    """How near the word comes to an item, in [0, 1], and whether it stands behind it; turned by a passive."""
    best, behind = 0.0, False
    cost = 1 if word.isascii() else 2
    for place, passive in reading.words[word]:
        if item.start <= place < item.end:
            continue
        low, high = min(place, item.start), max(place, item.start)
        borders = bisect_left(reading.borders, high) - bisect_right(reading.borders, low)
        sentences = bisect_left(reading.sentences, high) - bisect_right(reading.sentences, low)
        near = math.exp(-(high - low) * cost / _NEAR_CHARACTERS)
        near *= _BORDER_FACTOR ** max(0, borders) * _SENTENCE_FACTOR ** max(0, sentences)
        if near > best:
            best, behind = near, (place > item.start) != passive
    return best, behind


# --- reading -----------------------------------------------------------------------------------------


@lru_cache(maxsize=2048)
def _read(text: str) -> _Reading:
    items: list[_Item] = []
    words: dict[str, list[tuple[int, bool]]] = {}
    taken = bytearray(len(text))
    for quantity in find_quantities(text):
        taken[quantity.start : quantity.end] = b"\x01" * (quantity.end - quantity.start)
        role = _role_behind(text, quantity.end)
        kind = f"{quantity.kind} {quantity.unit}"
        items.append(_Item(str(quantity.value), kind, quantity.start, quantity.end, role))
    tokens = [match for match in _TOKEN.finditer(text) if not taken[match.start()]]
    for item, key, place, passive in _japanese(text, tokens):
        words.setdefault(key, []).append((place, passive))
        if item is not None:
            items.append(item)
    for item, key, place, passive in _english(text, tokens):
        words.setdefault(key, []).append((place, passive))
        if item is not None:
            items.append(item)
    return _Reading(
        tuple(sorted(items, key=lambda item: item.start)),
        {key: tuple(places) for key, places in words.items()},
        tuple(match.start() for match in _BORDER.finditer(text) if not taken[match.start()]),
        tuple(match.start() for match in _SENTENCE.finditer(text) if not taken[match.start()]),
    )


_Word = tuple[_Item | None, str, int, bool]


def _japanese(text: str, tokens: Iterable[re.Match[str]]) -> Iterator[_Word]:
    """Nouns with the particle behind them, and verbs by their first character or the noun in them."""
    passive, sentence, later = False, len(text), -1
    found: list[_Word] = []
    for match in reversed([one for one in tokens if _JAPANESE.match(one.group())]):
        run, end = match.group(), match.end()
        rest = text[end:sentence].partition("。")
        if rest[1] or sentence == len(text):
            passive = _KANA_PASSIVE.search(rest[0]) is not None
        sentence = match.start()
        honorific = _HONORIFIC.match(text, end)
        behind = honorific.end() if honorific else end
        inflection = _INFLECTION.match(text, end)
        if honorific is None and inflection is not None and not _SIMPLE_NOUN.match(text, end):
            if inflection.end() != later:  # else it is the first half of a verb such as 切り倒す
                passive = _PASSIVE.match(f"{inflection.group()}、") is not None
            later = match.start()
            made = len(run) > 1 and _VERBAL.match(inflection.group()) is not None
            found.append((None, normalise(run) if made else f"{run[0]}~", match.start(), False))
        else:
            key, role = normalise(run), _role_behind(text, behind, passive)
            found.append((_Item(key, "noun", match.start(), behind, role), key, match.start(), False))
    yield from reversed(found)


def _role_behind(text: str, at: int, passive: bool = False) -> str:
    """passive: whether the next verb is, so that the one who does it stands with に."""
    particle = _PARTICLE.match(text, at)
    if particle is None:
        return ""
    written = particle.group()
    if written == "の" and "による" in text[max(0, at - _REACH) : at]:
        return "を"  # 甲による乙の買収
    if passive and written in _PASSIVE_ROLES:
        return _PASSIVE_ROLES[written]
    return _ROLES.get(written, written)


def _english(text: str, tokens: Iterable[re.Match[str]]) -> Iterator[_Word]:
    """Names as a whole, nouns behind an article or a preposition, and all other words."""
    latin = [match for match in tokens if not _JAPANESE.match(match.group())]
    for number, match in enumerate(latin):
        word = match.group()
        if word.lower() in ENGLISH:
            continue
        before = latin[max(0, number - 3) : number]
        earlier = before[-1].group().lower() if before else ""
        later = latin[number + 1].group().lower() if number + 1 < len(latin) else ""
        role = _role_before(text, before, match.start())
        is_name = word[0].isupper()
        is_noun = is_name or bool(role) or earlier in _ARTICLES
        key = _key(word)
        kin = _kin(text, latin, number) if is_name else frozenset()
        kind = "name" if is_name else "noun"
        item = _Item(key, kind, match.start(), match.end(), role, kin) if is_noun else None
        yield item, key, match.start(), not is_name and (earlier in _BE or later == "by")


def _kin(text: str, latin: Sequence[re.Match[str]], number: int) -> frozenset[str]:
    """The capitalised words right before and right behind a capitalised one."""
    found = set()
    for step in (-1, 1):
        last, place = number, number + step
        while 0 <= place < len(latin) and latin[place].group()[0].isupper():
            one, other = sorted((last, place))
            if text[latin[one].end() : latin[other].start()] not in (" ", ". ", "-"):
                break
            found.add(_key(latin[place].group()))
            last, place = place, place + step
    return frozenset(found)


def _key(word: str) -> str:
    folded = normalise(word)
    return stem(_IRREGULAR.get(folded, folded))


def _role_before(text: str, before: Sequence[re.Match[str]], at: int) -> str:
    for match in reversed(before):
        if _BORDER.search(text, match.end(), at):
            return ""
        word = match.group().lower()
        if word in _PREPOSITIONS:
            return "" if word == "by" else word
        if word not in _ARTICLES and not match.group()[0].isupper():
            return ""
    return ""
