"""Token counts without a vocabulary, held against public vocabularies that come in wheels."""

import importlib.util
import unicodedata
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.text.tokens import count_tokens, cut_to_tokens

_SAMPLES = {
    "japanese rules": """
        経費精算は、支払った日から30日以内に経費システムで申請してください。領収書の画像を必ず添付し
        、用途と参加者の氏名を
        備考欄に記入します。5万円を超える支出には、事前に上長の承認が必要です。出張の交通費は実費を
        支給しますが、グリーン車や
        ビジネスクラスを利用する場合は、部門長の許可を得てください。宿泊費の上限は1泊12,000円で、朝
        食代を含みます。
        在宅勤務の日は通勤手当の対象になりません。申請に不備があったときは、経理部から差し戻しの連絡
        が届きますので、
        3営業日以内に修正して再提出してください。期限を過ぎた申請は、原則として翌月の支払いになります。""",
    "japanese manual": """
        本製品のランプが赤く点滅しているときは、フィルターの清掃が必要です。電源を切り、プラグをコン
        セントから抜いてから、
        背面のカバーを外します。フィルターは水洗いし、日陰で十分に乾かしてください。洗剤やアルコール
        は使わないでください。
        清掃しても点滅が止まらない場合は、センサーの故障が考えられます。型番とシリアル番号を控えて、
        サポート窓口に
        お問い合わせください。スマートフォンのアプリでは、ルーターの設定やファームウェアの更新、タイ
        マーの予約ができます。""",
    "japanese in hiragana": """
        おつかれさまです。こちらのおもちゃは、ちいさなおこさまの手のとどかないところにおいてください。よごれたときは、
        やわらかいぬのでかるくふいてから、よくかわかしてください。わからないことがありましたら、いつでもおきがるに
        おたずねください。おこたえするまでに、すこしおじかんをいただくことがあります。""",
    "japanese in katakana": """
        クラウドサービスのアカウントにログインし、ダッシュボードからプロジェクトのメンバーをインポートしてください。
        エクスポートのフォーマットはテンプレートのカスタマイズでコントロールできます。""",
    "english rules": """
        Expenses must be claimed in the expense system within thirty days of the payment. Attach a p
        icture of the
        receipt and write down who took part. Anything above 500 dollars needs the approval of your
        manager before
        you spend it. Travel costs are reimbursed as they are, but first class tickets are only allo
        wed after the
        head of the department has agreed. If a claim is incomplete, the accounting team will return
        it to you,
        and you have three business days to correct it. Claims that arrive too late are paid in the
        next month.""",
    "english prose with names": """
        Nakamura and Fernandez joined the Rotterdam office in September, shortly after Kowalski had left for
        Melbourne. Their first assignment was the migration of the warehouse inventory from an undoc
        umented legacy
        system, whose original author, Bartholomew Quigley, could no longer be reached. Surprisingly, the
        reconciliation of approximately 48,000 records uncovered merely a dozen discrepancies.""",
    "code": """
        def select_within_budget(hits: list[Hit], budget_tokens: int) -> list[Hit]:
            \"\"\"Keep the best hits whose texts fit into the budget.\"\"\"
            kept, spent = [], 0
            for hit in sorted(hits, key=lambda hit: -hit.score):
                if spent + hit.tokens <= budget_tokens:
                    kept.append(hit)
                    spent += hit.tokens
            return kept""",
    "table": """
        | 区分 | 上限 | 承認 | 備考 |
        |---|---|---|---|
        | 国内出張 | 12,000円 | 上長 | 朝食を含む |
        | 海外出張 | 25,000円 | 部門長 | 2026-04-01 から |
        | Meals | $35.50 | none | per day |
        | Taxi | $60.00 | manager | after 22:00 |""",
    "addresses": """
        https://docs.example.com/guides/getting-started/install.html
        https://support.example.co.jp/articles/10482?lang=ja&from=search
        help@example.co.jp, C:\\Users\\tanaka\\Documents\\report_2026.xlsx, /etc/kiyo/kiyo.toml""",
    "mixed": """
        FastAPI で `Depends()` を使うと、リクエストごとに DB セッションを開き、レスポンスの後に閉じ
        られます。OAuth2 の
        scope は `SecurityScopes` から読み取ります。詳しくは README.md の "Security" を参照してくだ
        さい。""",
}


@pytest.fixture(scope="module")
def vocabularies() -> dict[str, Callable[[str], int]]:
    """Load two public vocabularies from the files inside the litellm wheel; nothing is downloaded."""
    import tiktoken
    from tokenizers import Tokenizer

    spec = importlib.util.find_spec("litellm")
    assert spec is not None
    assert spec.origin is not None
    folder = Path(spec.origin).parent / "litellm_core_utils" / "tokenizers"
    anthropic = Tokenizer.from_file(str(folder / "anthropic_tokenizer.json"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TIKTOKEN_CACHE_DIR", str(folder))
        openai = {name: tiktoken.get_encoding(name) for name in ("cl100k_base", "o200k_base")}
    return {
        "anthropic": lambda text: len(anthropic.encode(text, add_special_tokens=False).ids),
        "cl100k_base": lambda text: len(openai["cl100k_base"].encode(text)),
        "o200k_base": lambda text: len(openai["o200k_base"].encode(text)),
    }


@pytest.mark.parametrize("name", _SAMPLES)
def test_counts_stay_close_to_the_larger_public_vocabulary(
    name: str, vocabularies: dict[str, Callable[[str], int]]
) -> None:
    text = "\n".join(line.removeprefix("        ") for line in _SAMPLES[name].strip().splitlines())
    largest = max(count(text) for count in vocabularies.values())
    assert 0.9 * largest <= count_tokens(text) <= 1.25 * largest


def test_no_text_costs_nothing() -> None:
    assert count_tokens("") == 0
    assert cut_to_tokens("", 0) == 0


_TEXTS = st.one_of(
    st.text(),
    st.lists(
        st.sampled_from(["word", " ", "  ", "\n", "AB", "Cd", "12", " 7", "漢", "かな", "。", "=="]),
        max_size=40,
    ).map("".join),
)


@given(_TEXTS, _TEXTS)
def test_appending_never_lowers_the_count(text: str, more: str) -> None:
    assert count_tokens(text + more) >= count_tokens(text)


@given(_TEXTS, st.integers(0, 60))
def test_a_cut_text_costs_at_most_the_limit(text: str, limit: int) -> None:
    cut = cut_to_tokens(text, limit)
    assert 0 <= cut <= len(text)
    assert count_tokens(text[:cut]) <= limit


@given(
    st.text(alphabet=st.characters(max_codepoint=0x2FFF, categories=["L", "N", "P", "Z"])), st.integers(0, 60)
)
def test_nothing_longer_would_fit(text: str, limit: int) -> None:
    cut = cut_to_tokens(text, limit)
    assert cut == len(text) or count_tokens(text[: cut + 1]) > limit


@pytest.mark.parametrize(
    "character",
    ["が", "か\u3099", "👨‍👩‍👧", "👍🏽", "🇯🇵", "é", "e\u0301", "葛\U000e0100", "ﾊﾟ", "\ud83d\ude00"],
)
def test_a_character_of_several_code_points_is_kept_whole(character: str) -> None:
    text = character * 5
    cuts = {cut_to_tokens(text, limit) for limit in range(count_tokens(text) + 1)}
    assert {cut % len(character) for cut in cuts} == {0}
    assert len(cuts) > 1 or unicodedata.combining(character[-1])


def test_a_negative_limit_is_refused() -> None:
    with pytest.raises(ValueError, match="negative"):
        cut_to_tokens("text", -1)


def test_long_texts_are_counted_and_cut() -> None:
    text = "経費の精算は30日以内。Within thirty days. " * 10_000
    assert count_tokens(text) == pytest.approx(10_000 * count_tokens(text[:300]) / (300 / 35), rel=0.2)
    assert 0 < cut_to_tokens(text, 1_000) < 5_000
