"""Turns of phrase by which an answer greets, hedges, refuses or leads into a list, as data.

One regular expression a line; spaces in the English ones stand for any white space. All are matched
against normalised text (lower case, half-width Latin).
"""

# The whole sentence is one of these, give or take punctuation.
GREETINGS_JA = r"""
こんにちは|こんばんは|おはよう(?:ございます)?|はじめまして|初めまして|お疲れ(?:様|さま)です|お世話になっております
.{0,20}(?:お問い?合わせ|ご質問|ご連絡|ご利用).{0,20}(?:ありがとうございま(?:す|した)|感謝.{0,8})
.{0,20}(?:お待たせ|ご不便|ご迷惑|お役に立てず).{0,20}(?:申し訳(?:ございません|ありません)(?:でした)?|すみません(?:でした)?)
(?:大変)?(?:申し訳(?:ございません|ありません)(?:でした)?|すみません)
(?:どうも)?ありがとうございま(?:す|した)
はい|いいえ|承知(?:いた)?しました|かしこまりました|了解(?:です|しました)|わかりました|分かりました
(?:はい、?)?(?:そうです(?:ね)?|その通りです|もちろんです|可能です|大丈夫です)
(?:以下|下記|次)(?:に|の(?:通り|とおり|ように)).{0,12}(?:ご案内|お答え|ご?説明|ご?回答|ご?紹介)(?:いた)?します
.{0,40}(?:について|に関して|を)(?:ご案内|お答え|ご?説明|ご?回答|ご?紹介)(?:いた)?します
.{0,30}(?:お役に立て|参考になれ|参考になり|お力になれ).{0,24}
.{0,30}(?:ご不明|ご質問|お困り|気になる点|ほかに|他に).{0,40}(?:ください(?:ませ)?|下さい(?:ませ)?|お知らせを|どうぞ)
(?:どうぞ)?(?:よろしく|宜しく)お願い(?:いた|致)?します
"""

GREETINGS_EN = r"""
(?:hi|hello|hey|dear|good (?:morning|afternoon|evening))(?: [\w.]+){0,3}
(?:thank you|thanks|many thanks)(?: (?:so|very) much)?(?: (?:for|again)\b.{0,80})?
yes|no|sure|certainly|of course|absolutely|great(?: question)?|got it|understood|okay|ok|correct|exactly|right
you(?:'re| are) (?:right|welcome)|no problem
(?:that(?:'s| is) )?(?:a )?(?:great|good|excellent) question
(?:i(?:'m| am) )?(?:happy|glad) to help.{0,60}
(?:sorry|apologies|i apologi[sz]e|i(?:'m| am) sorry)(?: (?:for|about) .{0,60})?
i hope (?:this|that) (?:helps|answers|clears).{0,60}
(?:please |do )?(?:feel free to|don't hesitate to|do not hesitate to) .{0,100}
(?:please )?let me know\b.{0,100}
if you (?:have|need) (?:any )?(?:other|more|further|additional|any)\b.{0,100}
(?:best |kind |warm )?regards.{0,30}
have a (?:nice|great|good) .{0,20}
welcome (?:back|to .{0,40})
here(?:'s| is| are) (?:the |a |an |your |some )?(?:answer|steps|summary|information|details)\b.{0,60}
here(?:'s| is) what (?:i found|you need)\b.{0,60}
"""

# The sentence holds one of these.
HEDGES = r"""
(?:確実|正確|確か)(?:な(?:こと|情報))?(?:では(?:ありません|ないか|ございません)|かどうかは|とは(?:言え|限り))
(?:かもしれません|かも知れません|かと(?:思います|思われます|存じます)|自信は?(?:が)?ありません)[。.\s]*$
(?:念のため|正確な情報は|最新の情報は).{0,50}(?:ご?確認|お問い?合わせ).{0,12}(?:ください|下さい|お願い|おすすめ|推奨)
\bi(?:'m| am) (?:not (?:\w+ )?(?:sure|certain)|unsure|uncertain|just an ai|an ai)\b
\b(?:i (?:may|might|could) be (?:wrong|mistaken)|as an ai\b|to the best of my knowledge)
\bi (?:think|believe|guess|assume) (?:so|not)\b
^(?:please )?(?:double[- ]?check|verify (?:this|with)|confirm (?:this|with))\b
\byou (?:may|might|should) want to (?:double[- ]?check|verify|confirm)
\b(?:it is best to|i recommend (?:that you )?) ?(?:double[- ]?check|verify|confirm)
"""

_ABSENT_JA = (
    "見つ(?:かり|けられ)ません(?:でした)?|見当たりません(?:でした)?|ありません(?:でした)?|ございません(?:でした)?"
    "|含まれて(?:い|おり)ません(?:でした)?|確認できません(?:でした)?|(?:記載|示)されて(?:い|おり)ません"
)
_SOURCES_EN = (
    "(?:the |these |those |my |your |any (?:of the )?)?(?:provided |given |available |supplied )?"
    "(?:sources?|documents?|documentation|context|passages?|articles?|knowledge base|materials?|information)"
)
_SILENT_EN = r"(?:\w+ ){0,3}?(?:do|does|did)(?:n't| not)"
_DETAIL_EN = "(?:relevant |such |specific )?(?:information|details?|mention|answer)"

REFUSALS = rf"""
(?:情報|記載|記述|回答|答え|該当.{{0,10}}|説明|言及)(?:が|は|も|を)?(?:{_ABSENT_JA})
(?:資料|文書|記事|ナレッジ|出典)(?:に|には|の中に|から)は?.{{0,40}}(?:{_ABSENT_JA})
(?:お答え|回答|ご案内|お手伝い|判断|お力添え)(?:することが|することは|は|が)?(?:でき(?:ません|かね(?:ます|ました))|いたしかねます|致しかねます)
(?:わかりかね|分かりかね)ます|(?:は|が|も|か)(?:わかりません|分かりません|存じ上げません)
\b(?:can't|cannot|can not|couldn't|could not) (?:find|answer|help|locate|provide|determine|say|tell|confirm)\b
\b(?:unable|not able) to (?:find|answer|help|locate|provide|determine|confirm|verify)\b
\bi (?:don't|do not) (?:know|have (?:any |enough |access to )?(?:information|details|data|that))\b
\b{_SOURCES_EN} {_SILENT_EN} (?:\w+ )?(?:contain|mention|say|include|provide|specify|state)
\b{_SOURCES_EN} {_SILENT_EN} (?:\w+ )?(?:cover|answer|address|describe|hold|explain|indicate)
\b(?:no|not enough|insufficient) {_DETAIL_EN}\b.{{0,60}}\b(?:found|available|provided|given|in)\b
\b(?:there is|there's) no (?:mention|information|indication)\b
\b(?:is|are|was|were)(?:n't| not) (?:mentioned|specified|stated|covered|provided) (?:in|by) {_SOURCES_EN}
"""

# The end of a sentence right before a list.
LEAD_INS = r"""
(?:以下|次|下記|下)(?:の|に|が).{0,24}[。:：]?\s*$
(?:following|below|as follows|these|this)\b[^.]{0,60}[:.]?\s*$
[:：]\s*$
"""
