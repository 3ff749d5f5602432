"""Small articles to measure against."""

from core.contribution.passages import passage_lines
from core.domain import LineRef, Statement

LEAVE = (
    "有給休暇は入社6か月後に10日付与されます。取得する日の3営業日前までに勤怠システムで申請してください。"
    "半日単位でも取得できます。"
)
EXPENSES = (
    "経費精算は、支払った日から30日以内に経費システムで申請します。領収書の画像を添付してください。"
    "5万円を超える支出は事前に上長の承認が必要です。"
)
REFUNDS = (
    "Refunds go back to the original card within 14 days. A cancellation made less than 48 hours before the "
    "event is charged in full. Vouchers cannot be exchanged for cash."
)
UNRELATED = "Albatrosses glide over the southern ocean. They rarely flap their wings."


def lines_of(**articles: str) -> list[LineRef]:
    """Lines of several articles, each id -> text."""
    return [line for article_id, text in articles.items() for line in passage_lines(text, article_id)]


def statement(text: str, ordinal: int = 0, cited: tuple[int, ...] = ()) -> Statement:
    """A judged statement."""
    return Statement(ordinal, text, 0, len(text), cited, judged=True)
