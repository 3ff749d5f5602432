"""Words of the page of labelling."""

from __future__ import annotations

from collections.abc import Mapping

WORDS: Mapping[str, tuple[str, str]] = {
    "labelling": ("Labelling", "ラベル付け"),
    "labelling_title": (
        "Does this article say what the sentence says?",
        "この記事は、この文の内容を述べていますか",
    ),
    "your_name": ("Your name", "お名前"),
    "name_first": (
        "Enter your name first: two people judge each pair, and Kiyo has to tell them apart.",
        "最初にお名前を入力してください。一組を二人が判定するため、区別に使います。",
    ),
    "guide": ("How to judge, with examples", "判定のしかたと例"),
    "guide_text": (
        "Judge only whether the article says it, not whether it is true.\n\n- **Yes**: “Hotels are paid up "
        "to 14,000 yen” and the article says “rooms: 14,000 yen at most”.\n- **No**: the article says "
        "12,000 yen, or speaks of hotels without an amount.\n- **Cannot tell**: “This also holds for "
        "them.” makes no sense alone, or the text is cut off.",
        "その内容が正しいかどうかではなく、記事に書かれているかどうかだけを判定します。\n\n- **はい**："
        "文が「ホテル代は 14,000 円まで」、記事が「宿泊費：上限 14,000 円」の場合。\n- **いいえ**："
        "記事の金額が 12,000 円の場合や、ホテルの話だけで金額がない場合。\n- **判断できない**："
        "「これも同様です。」のように文だけでは意味が取れない場合や、途中で切れている場合。",
    ),
    "keys": (
        "Keys: 1 yes, 2 no, 3 cannot tell, S later, U undo",
        "キー操作：1 はい、2 いいえ、3 判断できない、S あとで、U 取り消し",
    ),
    "keys_disputes": (
        "Keys: 1 yes, 2 no, 3 cannot tell, U undo",
        "キー操作：1 はい、2 いいえ、3 判断できない、U 取り消し",
    ),
    "view": ("What to do", "作業"),
    "judge": ("Judge pairs", "判定する"),
    "skip": ("Later (S)", "あとで (S)"),
    "put_off": (
        "You put this pair off before; the others are done.",
        "先ほど「あとで」にした組です。ほかは終わりました。",
    ),
    "pace": (
        "On this visit: {count} pairs in {minutes} min, about {seconds} s each.",
        "今回：{count} 組を {minutes} 分で判定（1組あたり約 {seconds} 秒）",
    ),
    "disputes_left": ("{count} left for you.", "残り {count} 組です。"),
    "kappa_interval": (" (95 %: {low}–{high})", "（95% 区間：{low}〜{high}）"),
    "yes": ("1 Yes", "1 はい"),
    "no": ("2 No", "2 いいえ"),
    "unclear": ("3 Cannot tell", "3 判断できない"),
    "undo": ("Undo (U)", "取り消し (U)"),
    "nothing_to_undo": ("There is nothing to take back.", "取り消せる判定がありません。"),
    "sentence": ("The sentence", "判定する文"),
    "nearest": ("The nearest place in “{title}”", "「{title}」の最も近い箇所"),
    "progress": (
        "{labelled} of {items} pairs judged by somebody",
        "{items} 組のうち {labelled} 組を判定済み",
    ),
    "nothing_drawn": (
        "No pairs have been drawn yet. Run `kiyo labels draw` for the last whole week.",
        "判定する組がまだありません。`kiyo labels draw` で先週分を抽出してください。",
    ),
    "all_done": (
        "You have judged everything there is. Thank you! New pairs come with `kiyo labels draw`.",
        "すべて判定しました。ありがとうございます。次の分は `kiyo labels draw` で抽出されます。",
    ),
    "disputes": ("Disagreements ({count})", "意見が分かれた組（{count}）"),
    "disputes_lead": (
        "Two people differ here. A third one decides, without being told who said what.",
        "二人の判定が分かれた組です。三人目が、だれの判定かを知らずに決めます。",
    ),
    "no_disputes": ("Nobody disagrees.", "意見が分かれた組はありません。"),
    "agreement": ("How far people agree", "判定の一致"),
    "agreement_row": (
        "{first} and {second}: {share} the same of {pairs} pairs, kappa {kappa}",
        "{first} と {second}：{pairs} 組のうち {share} が一致、カッパ係数 {kappa}",
    ),
}
