"""A bare passage of text, as evaluation data have it, as lines that can be measured."""

from core.domain import Line, LineRef
from core.text.sentences import split_sentences

_PASSAGE_VERSION = "-"


def passage_lines(text: str, article_id: str = "passage", title: str = "") -> tuple[LineRef, ...]:
    """Split a passage into sentences, each with its neighbours; a passage without any gives no lines.

    title: taken as the heading of every line.
    """
    spans = split_sentences(text)
    pieces = [text[span.start : span.end] for span in spans]
    return tuple(
        LineRef(
            article_id=article_id,
            version=_PASSAGE_VERSION,
            line=Line(index, 0, "sentence", piece, span.start, span.end, None, index + 1, index + 1),
            before=pieces[index - 1] if index else "",
            after=pieces[index + 1] if index + 1 < len(pieces) else "",
            heading=title,
        )
        for index, (span, piece) in enumerate(zip(spans, pieces, strict=True))
    )
