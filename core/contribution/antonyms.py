"""Words that mean the opposite of each other, as data: one pair a line, alternatives joined by a bar."""

from functools import cache

from core.text.latin import stem

# Stems are made from these, so one form of a word stands for all of them.
_ENGLISH = """
increase / decrease|decline|reduce
rise|rose|risen / fall|fell|fallen|drop
grow|grew / shrink|shrank|decline
gain / lose|lost|loss
up / down
above / below|under
over / under
more / less|fewer
most / least
exceed / below|under
maximum / minimum
maximise|maximize / minimise|minimize
before / after
earlier / later
early / late
open / close|shut
start|begin|began / stop|end|finish|cease
first / last
next / previous|last
allow|permit / forbid|prohibit|ban|deny
accept / reject|refuse|decline
approve / reject|refuse|disapprove
confirm / deny|reject|cancel
include / exclude
enable / disable
activate / deactivate
lock / unlock
buy|bought|purchase / sell|sold
send|sent / receive
win|won / lose|lost
success|succeed / failure|fail
true / false
full / empty
hot|hotter / cold|colder
warm / cool
high / low
higher / lower
large|big / small
larger|bigger / smaller
long / short
longer / shorter
fast|quick / slow
faster|quicker / slower
old / new
older / newer|younger
inside / outside
internal / external
input / output
import / export
public / private
free / paid
required|mandatory|compulsory / optional|voluntary
necessary / unnecessary
possible / impossible
able / unable
valid / invalid
legal / illegal
safe / dangerous|unsafe
strong / weak
positive / negative
left / right
north|northern / south|southern
east|eastern / west|western
man|male / woman|female
men / women
boy / girl
father / mother
brother / sister
husband / wife
day / night
summer / winter
add|append / remove|delete
create / delete|destroy
restore / delete
attach / detach
connect / disconnect
install / uninstall
upload / download
improve / worsen|deteriorate
better / worse
best / worst
profit / loss
agree / disagree
like / dislike
love / hate
present / absent
alive / dead
birth|born / death|died
rich / poor
easy|simple / difficult|hard|complex
cheap / expensive
wet / dry
light / heavy
lighter / heavier
bright / dark
wide / narrow
thick / thin
deep / shallow
majority / minority
major / minor
always / never
many / few
often|frequently / rarely|seldom
everyone|everybody / nobody
single / multiple
manual / automatic
temporary / permanent
same|identical / different
ancient / modern
north / south
urban / rural
victory / defeat
attack / defend
arrive / leave|depart
enter / exit|leave
expand / contract
accelerate|speed / slow|decelerate
strengthen / weaken
support / oppose
encourage / discourage
optimistic / pessimistic
upper / lower
raise / lower
improve / worse
found|establish / close|dissolve
hire|employ / dismiss|fire
appear / disappear
keep|retain / discard
visible / invisible|hidden
known / unknown
complete / incomplete
correct|right / incorrect|wrong
accurate / inaccurate
direct / indirect
regular / irregular
lend|lent / borrow
debit / credit
domestic / foreign|overseas
online / offline
horizontal / vertical
odd / even
front / rear|back
top / bottom
morning / evening
weekday / weekend
natural / artificial
similar / different
encrypt / decrypt
compress / decompress
subscribe / unsubscribe
clockwise / anticlockwise|counterclockwise
inbound|incoming / outbound|outgoing
freeze|froze|frozen / thaw|melt
supply / demand
import|imported / export|exported
advantage / disadvantage
sufficient / insufficient
successful / unsuccessful
"""

_JAPANESE = """
上回 / 下回
以上 / 以下|未満
超え|超過 / 下回|未満
増加|増え|増や|増大 / 減少|減っ|減り|減る|減ら|低減
上昇|上が|上げ|向上 / 下降|低下|下が|下げ
高い|高く / 低い|低く
高まり|高ま / 低下|低ま
多い|多く / 少ない|少なく
大きい|大きく / 小さい|小さく
長い|長く / 短い|短く
重い|重く / 軽い|軽く
速い|早い|速く|早く / 遅い|遅く
新しい|新しく / 古い|古く
暑い|熱い / 寒い|冷たい
強い|強く|強化 / 弱い|弱く|弱化
明るい|明るく / 暗い|暗く
広い|広く|拡大 / 狭い|狭く|縮小
深い|深く / 浅い|浅く
日前|月前|年前|時間前|前まで / 日後|月後|年後|時間後|後まで
以前 / 以後|以降
開始|始ま|始め / 終了|終わ|終え
開い|開け|開き / 閉じ|閉め|閉ま
営業 / 休業
開店 / 閉店
入社 / 退社|退職
入学 / 卒業|退学
出席|参加 / 欠席|不参加
必要 / 不要|不必要
必須 / 任意
可能 / 不可能|不可
有料 / 無料
有効 / 無効
有限 / 無限|無制限
許可|認め|許可 / 禁止|禁じ
承認|承諾|受け入れ / 却下|拒否|拒絶|断
成功 / 失敗
合格 / 不合格
勝利|勝っ|勝ち / 敗北|敗れ|負け
最大 / 最小
最高 / 最低
最長 / 最短
最多 / 最少
最初 / 最後
次回|次の / 前回|前の
過去 / 現在|未来|将来
国内 / 海外|国外
公開 / 非公開
公式 / 非公式
内部|内側|屋内 / 外部|外側|屋外
昼間|日中 / 深夜|夜間
点灯 / 消灯
入れて|オンに / 切って|オフに
接続 / 切断
追加|登録 / 削除|解除
作成 / 削除
復元 / 削除
送信|送り|送っ|送る / 受信|受け取
購入|買っ|買い|買う / 販売|売却|売っ|売り|売る
貸し|貸す / 借り
月額 / 年額
全額|全員|全部 / 一部
自動 / 手動
新規 / 既存
賛成|支持 / 反対
安全 / 危険
簡単|容易 / 困難|難し
同じ|同一 / 異な|違う
未開封 / 開封済み
男性|男 / 女性|女
上り / 下り
増員 / 減員
黒字 / 赤字
満員|満席|満杯 / 空席|空き
乾い|乾燥 / 濡れ|湿
営業|開店|開い / 休業|休み|閉店|定休
平日 / 土日|休日|週末
左側|左折|左手 / 右側|右折|右手
東側|東部 / 西側|西部
南側|南部 / 北側|北部
縦 / 横
正常 / 異常
正しい|正しく|正確 / 誤った|誤って|不正確
有利 / 不利
十分 / 不十分
便利 / 不便
直接 / 間接
一時的 / 恒久|永久
前払い|先払い / 後払い
採用|雇用 / 解雇
入金|預け入れ / 出金|引き出
輸出 / 輸入
乗車 / 降車|下車
到着 / 出発|発車
往路 / 復路
可決 / 否決
暗号化 / 復号
圧縮 / 展開|解凍
起動 / 停止|終了
値上げ / 値下げ
加熱 / 冷却
膨張 / 収縮
積極 / 消極
楽観 / 悲観
固定 / 変動
生産 / 消費
需要 / 供給
収入 / 支出
延長 / 短縮
優勝 / 敗退
人工 / 天然
都会|都市部 / 田舎|農村
具体 / 抽象
改善|好転 / 悪化
義務 / 任意
昇進|昇格 / 降格
"""


@cache
def english_antonyms() -> dict[str, frozenset[str]]:
    """Give for the stem of a word the stems of its opposites."""
    return _both_ways([(side_stems(left), side_stems(right)) for left, right in _pairs(_ENGLISH)])


@cache
def japanese_antonyms() -> dict[str, frozenset[str]]:
    """Give for a piece of Japanese as written the pieces that mean the opposite."""
    return _both_ways([(left.split("|"), right.split("|")) for left, right in _pairs(_JAPANESE)])


def side_stems(side: str) -> list[str]:
    """List the stems of the alternatives on one side of a pair."""
    return [stem(word) for word in side.split("|")]


def _pairs(table: str) -> list[tuple[str, str]]:
    lines = [line.split(" / ") for line in table.strip().split("\n")]
    return [(left.strip(), right.strip()) for left, right in lines]


def _both_ways(pairs: list[tuple[list[str], list[str]]]) -> dict[str, frozenset[str]]:
    opposites: dict[str, set[str]] = {}
    for left, right in pairs:
        for word in left:
            opposites.setdefault(word, set()).update(right)
        for word in right:
            opposites.setdefault(word, set()).update(left)
    return {word: frozenset(others) for word, others in opposites.items()}
