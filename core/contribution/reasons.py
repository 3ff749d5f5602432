"""Why a sentence of an answer is kept but not judged: it greets, asks, hedges, refuses or says nothing checkable."""

import re

from core.contribution.blocks import BlockRole
from core.text.normalise import normalise
from core.text.terms import content_terms

_MAX_GREETING = 160
"""Longer sentences are judged whatever they begin with."""

_QUESTION = re.compile(
    r"[?？][\s」』)\"'*]*$|(?:です|ます|でしょう|ません|ました|でした|だろう)か[。．.]?[\s」』)]*$"
)

_GREETING = re.compile(
    r"""(?:
      (?:こんにちは|こんばんは|おはよう(?:ございます)?|はじめまして|初めまして|お疲れ様です|お疲れさまです|お世話になっております)
      | .{0,20}(?:お問い?合わせ|ご質問|ご連絡|お待ち|ご利用|ご不便).{0,20}(?:ありがとうございま(?:す|した)|申し訳(?:ございません|ありません)|感謝.{0,8})
      | (?:どうも)?ありがとうございま(?:す|した)
      | (?:はい|いいえ|承知(?:いた)?しました|かしこまりました|了解(?:です|しました)|そうです(?:ね)?|その通りです|もちろんです|わかりました|分かりました)
      | (?:以下|下記|次)(?:に|の(?:通り|とおり|ように)).{0,12}(?:ご案内|お答え|ご説明|説明|回答)(?:いた)?します
      | .{0,40}(?:について|に関して)(?:ご案内|お答え|ご説明|説明|回答)(?:いた)?します
      | .{0,30}(?:お役に立て|参考になれ|参考になり|お力になれ).{0,24}
      | .{0,30}(?:ご不明|ご質問|お困り|気になる点|ほかに|他に).{0,40}(?:ください(?:ませ)?|下さい(?:ませ)?|お知らせを|どうぞ)
      | (?:どうぞ)?(?:よろしく|宜しく)お願い(?:いた|致)?し(?:ます|ます)
    )[\s。．.!！、,～~♪]*
    | (?:
      (?:hi|hello|hey|dear|good\ (?:morning|afternoon|evening))(?:\ [\w.]+){0,3}
      | (?:thank\ you|thanks|many\ thanks)(?:\ (?:so|very)\ much)?(?:\ (?:for|again)\b.{0,80})?
      | (?:yes|no|sure|certainly|of\ course|absolutely|great(?:\ question)?|got\ it|understood|okay|ok|correct|exactly|right|you(?:'re|\ are)\ (?:right|welcome)|no\ problem)
      | (?:that(?:'s|\ is)\ )?(?:a\ )?(?:great|good|excellent)\ question
      | (?:i(?:'m|\ am)\ )?(?:happy|glad)\ to\ help.{0,60}
      | (?:sorry|apologies|i\ apologi[sz]e|i(?:'m|\ am)\ sorry)(?:\ (?:for|about)\ .{0,60})?
      | i\ hope\ (?:this|that)\ (?:helps|answers|clears).{0,60}
      | (?:please\ |do\ )?(?:feel\ free\ to|don't\ hesitate\ to|do\ not\ hesitate\ to)\ .{0,100}
      | (?:please\ )?let\ me\ know\b.{0,100}
      | if\ you\ (?:have|need)\ (?:any\ )?(?:other|more|further|additional|any)\b.{0,100}
      | (?:best|kind|warm)?\ ?regards.{0,30} | have\ a\ (?:nice|great|good)\ .{0,20} | welcome\ (?:back|to\ .{0,40})
      | here(?:'s|\ is|\ are)\ (?:the\ |a\ |an\ |your\ |some\ |what\ )?(?:answer|steps|summary|information|details|overview|i\ found|you\ need)\b.{0,60}
    )[\s.!,:]*""",
    re.VERBOSE,
)

_HEDGE = re.compile(
    r"""(?:確実|正確|確か)(?:な(?:こと|情報))?(?:では(?:ありません|ないか|ございません)|かどうかは|とは(?:言え|限り))
      | (?:かもしれません|かも知れません|かと(?:思います|思われます|存じます)|自信は?(?:ありません|がありません))[。.\s]*$
      | (?:念のため|正確な情報は|最新の情報は).{0,50}(?:ご?確認|お問い?合わせ).{0,12}(?:ください|下さい|お願い|おすすめ|推奨)
      | \bi(?:'m|\ am)\ (?:not\ (?:\w+\ )?(?:sure|certain)|unsure|uncertain|just\ an\ ai|an\ ai)\b
      | \b(?:i\ (?:may|might|could)\ be\ (?:wrong|mistaken)|as\ an\ ai\b|to\ the\ best\ of\ my\ knowledge)
      | \bi\ (?:think|believe|guess|assume)\ (?:so|not)\b
      | ^(?:please\ )?(?:double[- ]?check|verify\ (?:this|with)|confirm\ (?:this|with))\b
      | \b(?:you\ (?:may|might|should)\ want\ to|it\ is\ best\ to|i\ recommend\ (?:that\ you\ )?)\ ?(?:double[- ]?check|verify|confirm)
    """,
    re.VERBOSE,
)

_SOURCES = r"(?:the\ |these\ |those\ |my\ |your\ |any\ (?:of\ the\ )?)?(?:provided\ |given\ |available\ |supplied\ )?(?:sources?|documents?|documentation|context|passages?|articles?|knowledge\ base|materials?|information|text|excerpts?)"
_REFUSAL = re.compile(
    rf"""(?:情報|記載|記述|回答|答え|内容|資料|該当.{{0,10}}|記事|説明|言及)(?:が|は|も|を)?
         (?:見つ(?:かり|けられ)ません(?:でした)?|見当たりません(?:でした)?|ありません(?:でした)?|ございません(?:でした)?
           |含まれて(?:い|おり)ません(?:でした)?|確認できません(?:でした)?|記載されて(?:い|おり)ません|示されて(?:い|おり)ません|な(?:いため|く).{{0,30}})
      | (?:お答え|回答|ご案内|お手伝い|判断|お力添え)(?:することが|することは|は|が)?(?:でき(?:ません|かね(?:ます|ました))|いたしかねます|致しかねます|出来ません)
      | (?:わかりかね|分かりかね|わかりません|分かりません|存じ上げません|不明です)
      | \b(?:i\ |we\ )?(?:can't|cannot|can\ not|couldn't|could\ not|wasn't\ able\ to|was\ not\ able\ to|am\ unable\ to|am\ not\ able\ to|'m\ unable\ to|unable\ to)\ (?:find|answer|help|locate|provide|determine|say|tell|confirm|verify)\b
      | \bi\ (?:don't|do\ not)\ (?:know|have\ (?:any\ |enough\ |access\ to\ )?(?:information|details|data|that))\b
      | \b{_SOURCES}\ (?:\w+\ ){{0,3}}?(?:do|does|did)(?:n't|\ not)\ (?:\w+\ )?(?:contain|mention|say|include|provide|specify|state|cover|answer|address|describe|hold|explain|indicate)
      | \b(?:no|not\ enough|insufficient)\ (?:relevant\ |such\ |specific\ )?(?:information|details?|mention|answer)\b.{{0,60}}\b(?:found|available|provided|given|in)\b
      | \b(?:there\ is|there's)\ no\ (?:mention|information|indication)\b
      | \b(?:is|are|was|were)(?:n't|\ not)\ (?:mentioned|specified|stated|covered|provided|described|available)\ (?:in|by)\ {_SOURCES}
    """,
    re.VERBOSE,
)

_LEAD_IN = re.compile(
    r"(?:以下|次|下記|下)(?:の|に|が).{0,24}[。:：]?\s*$|(?:following|below|as follows|these|this)\b[^.]{0,60}[:.]?\s*$"
)
_URL = re.compile(r"(?:https?://|www\.)\S+")
_WORD = re.compile(r"\w")
_DIGIT = re.compile(r"\d")

_BY_ROLE: dict[BlockRole, str] = {"heading": "heading", "code": "code", "links": "link_list"}


def reason_not_judged(text: str, role: BlockRole, leads: bool = False) -> str:
    """Say why a sentence is not judged, "" if it is.

    text: the sentence without citation marks; "" means that marks were all there was.
    leads: whether the sentence ends right before a list.
    Returns one of heading, code, link_list, citation_only, question, greeting, refusal, hedge, lead_in,
    too_short, or "".
    """
    if role in _BY_ROLE:
        return _BY_ROLE[role]
    folded = normalise(text).strip(" \t\n*_>-・")
    if not _WORD.search(folded):
        return "citation_only" if not folded else "too_short"
    if not _WORD.search(_URL.sub("", folded)):
        return "link_list"
    if _QUESTION.search(folded):
        return "question"
    if len(folded) <= _MAX_GREETING and _GREETING.fullmatch(folded):
        return "greeting"
    if _REFUSAL.search(folded):
        return "refusal"
    if _HEDGE.search(folded):
        return "hedge"
    if leads and (_LEAD_IN.search(folded) or folded.endswith((":", "："))):
        return "lead_in"
    if not _DIGIT.search(folded) and not content_terms(text):
        return "too_short"
    return ""
