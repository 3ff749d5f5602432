"""Tell questions from greetings, thanks, "+1" and the like, by words alone.

In doubt a message is a question: an answer nobody needed costs less than a question nobody answers.
"""

from __future__ import annotations

import re
import unicodedata

_STRIPPED = re.compile(
    r"<a?:\w+:\d+>"  # Discord's own emoji
    r"|:[\w+-]+:"  # :thumbsup:
    r"|@[\w.-]+"
    r"|[\W_]+",
)
_ENGLISH_WORDS = """
hi|hello|hey|hiya|yo|good morning|good afternoon|good evening|good night|morning|bye|goodbye|see you|see ya
thanks|thank|thank you|thx|ty|tysm|cheers|much appreciated|appreciated|ok|okay|k|kk|yes|yep|yeah|no|nope|sure
great|good|nice|cool|perfect|awesome|lovely|wow|got it|understood|makes sense|noted|done|fixed|solved|works
it works|that works|works for me|will do|lol|haha|hahaha|hehe|same|same here|agreed|me too|ditto|up|bump|lgtm
ack|fyi|nvm|never mind|welcome|you are welcome|you re welcome|youre welcome|no problem|np|my pleasure|sorry
congrats|congratulations
"""
_ENGLISH_FILLERS = """
so|very|much|a lot|lot|again|all|everyone|everybody|team|folks|guys|there|you|for|the|your|help|kiyo|that|it
really|now|and|to|is|s|this|quick|answer|reply|too|man|mate|well|just|oh|ah
"""
_JAPANESE_WORDS = """
おはようございます|おはよう|こんにちは|こんばんは|お疲れ様です|おつかれさまです|お疲れさまです|お疲れ様でした|お疲れ
おつかれさまでした|おつかれ|よろしくお願いいたします|よろしくお願いします|よろしくおねがいします|宜しくお願いします
よろしく|ありがとうございます|ありがとうございました|有難うございます|有難うございました|ありがとう|有難う|どうも
あざす|あざっす|感謝|感謝します|助かります|助かりました|了解いたしました|了解しました|了解|りょ|承知いたしました
承知しました|承知|かしこまりました|わかりました|分かりました|わかった|分かった|なるほど|はい|いいえ|うん|ええ|いいね
いいですね|すごい|さすが|解決しました|できました|出来ました|確認しました|確認します|すみません|すいません|ごめんなさい
申し訳ありません|おめでとうございます|おめでとう|笑|草|w|ww|www
"""
_JAPANESE_FILLERS = """
とても|大変|本当に|ほんとに|誠に|早速|ご回答|回答|返信|ご返信|の|を|に|皆さん|みなさん|kiyo|さん|です|ね|よ
それでは|では|また|いつも|丁寧|ご丁寧|な|対応|ご対応|いただき|頂き|教えていただき|教えて頂き|連絡|ご連絡
"""


def _choice(*lists: str) -> str:
    """A pattern of the words, the longest first: what is taken is never given back, so no text is slow."""
    words = {word for words in lists for line in words.split("\n") for word in line.split("|") if word}
    return "|".join(sorted(words, key=lambda word: (-len(word), word)))


_ENGLISH = re.compile(
    rf"(?=.*\b(?:{_choice(_ENGLISH_WORDS)})\b)"
    rf"(?:\s|\b(?:{_choice(_ENGLISH_WORDS, _ENGLISH_FILLERS)})\b)++"
)
_JAPANESE = re.compile(
    rf"(?=.*(?:{_choice(_JAPANESE_WORDS)}))(?:\s|{_choice(_JAPANESE_WORDS, _JAPANESE_FILLERS)})++"
)
_ASKING = re.compile(
    r"[?？]"
    r"|\b(?:how|what|when|where|which|who|whom|whose|why|can i|could|should|would|does|do i|do we)\b"
    r"|\b(?:is|are) there\b"
    r"|ですか|ますか|でしょうか|ません(?:でした)?か|のか|教えて(?!いただき|頂き|くれて|くださり)|とは$"
    r"|方法|なぜ|どう|どこ|いつから|いつまで|誰|何|いくら|どれ|どの|どちら",
    re.IGNORECASE,
)


def is_chatter(text: str) -> bool:
    """Whether nothing is asked: empty, emoji, "+1", a greeting, thanks, "OK", 了解です, ありがとう.

    A question mark makes everything but laughter a question.
    """
    plain = unicodedata.normalize("NFKC", text)
    if re.search(r"[?？]", plain) and any(character.isalpha() for character in plain):
        return False
    words = _STRIPPED.sub(" ", plain).casefold().strip()
    if not any(character.isalpha() for character in words):
        return True
    return bool(_ENGLISH.fullmatch(words) or _JAPANESE.fullmatch(words))


def asks_something(text: str) -> bool:
    """The stricter test for what was not addressed to Kiyo: it must look like a question."""
    return not is_chatter(text) and _ASKING.search(unicodedata.normalize("NFKC", text)) is not None
