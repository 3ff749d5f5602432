"""The language of questions and articles."""

import pytest

from core.text.language import detect_language

_JAPANESE = [
    "有給休暇はいつもらえますか",
    "FastAPI の OAuth2 の設定方法を教えて",
    "Dependency Injection とは",
    "Dependency Injection in FastAPI とは？",
    "It is an error and the app does not start と表示されます",
    "error: connection refused が出る",
    "有給休暇",
    "経費精算規程",
    "日本国憲法第九条",
    "パスワードリセット",
    "ﾊﾟｽﾜｰﾄﾞ",
    "VPN接続",
    "Slack連携",
    "Kubernetes cluster setup 手順",
    "https://example.com/this/is/the/way を見て",
    "print('こんにちは')",
    "次を実行します。\n```python\nfor the in this: is_a = the.and_of(that)\n```\n以上です。",
]
_ENGLISH = [
    "How do I reset my password?",
    "reset password",
    "OAuth2 scopes",
    "What does 有給休暇 mean?",
    "What does 有給休暇の申請 mean?",
    "The Japanese word for cat is ねこ",
    "Can I take a half day off (半休)?",
    "`これはコード` Please run this code in a terminal.",
    "naïve Bayes classifier",
    "The résumé of José was in the déjà vu folder",
]
_OTHER = [
    "如何申请年假？",
    "請問如何申請特休假？",
    "新型肺炎疫情的最新消息，请大家注意安全。",
    "你好",
    "Wie kann ich meine Karte aktivieren?",
    "Comment puis-je activer ma carte ?",
    "¿Cómo activo mi tarjeta?",
    "Come posso attivare la mia carta?",
    "Como posso ativar o meu cartão?",
    "Hoe kan ik mijn kaart activeren?",
    "안녕하세요 휴가 신청",
    "Привет, как дела",
    "",
    "123 456",
    "!?",
]


@pytest.mark.parametrize("text", _JAPANESE)
def test_japanese_is_recognised_in_spite_of_latin_names(text: str) -> None:
    assert detect_language(text) == "ja"


@pytest.mark.parametrize("text", _ENGLISH)
def test_english_is_recognised_in_spite_of_quoted_japanese(text: str) -> None:
    assert detect_language(text) == "en"


@pytest.mark.parametrize("text", _OTHER)
def test_what_is_neither_is_other(text: str) -> None:
    assert detect_language(text) == "other"


def test_the_majority_of_a_mixed_text_decides() -> None:
    english = "The rules of the company are written in this document and everyone has to know them. " * 3
    japanese = "この規程は、すべての従業員に適用します。"
    assert detect_language(english + japanese) == "en"
    assert detect_language("Hello. " + japanese * 5) == "ja"
