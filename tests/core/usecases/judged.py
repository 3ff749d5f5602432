"""A few judged rows in the forms of `kiyo eval`."""

from typing import Any

LEAVE = "有給休暇は入社6か月後に10日付与されます。半日単位でも取得できます。"
REFUNDS = "Refunds go back to the original card within 14 days. Vouchers cannot be exchanged for cash."


def _row(number: int, lang: str, sentence: str, label: str, error_type: str = "") -> dict[str, Any]:
    source = LEAVE if lang == "ja" else REFUNDS
    row = {
        "id": str(number),
        "lang": lang,
        "group": lang,
        "source_text": source,
        "sentence": sentence,
        "label": label,
    }
    return {**row, "error_type": error_type} if error_type else row


SUPPORT: list[dict[str, Any]] = [
    _row(1, "ja", "有給休暇は半日単位でも取得できます。", "supported"),
    _row(2, "ja", "有給休暇は入社6か月後に25日付与されます。", "unsupported", "number"),
    _row(3, "en", "Refunds go to the original card.", "supported"),
    _row(4, "en", "Parking is free on Sundays.", "unsupported"),
]

ATTRIBUTION: list[dict[str, Any]] = [
    {
        "id": "1",
        "lang": "ja",
        "question": "休暇と返金について",
        "answer_sentences": [
            "有給休暇は半日単位でも取得できます。",
            "Vouchers cannot be exchanged for cash.",
            "駐車場は無料です。",
        ],
        "passages": [
            {"id": "p", "title": "", "text": LEAVE},
            {"id": "q", "title": "Refunds", "text": REFUNDS},
        ],
        "gold": [["p"], ["q"], []],
    }
]
