from __future__ import annotations

import os
from pathlib import Path

import pytest

from core.domain import ParsedFile
from core.knowledge.reading import read_file
from core.providers.local_embeddings import LocalEmbedder
from core.rag.anchors.tables import DocumentTables
from tests.core.rag.anchors.documents import tables_of
from tests.tools.make_paper_pdf import draw_paper, read_text

REAL_PAPER = os.environ.get("KIYO_ATTENTION_PDF", "")
LIMIT = 50_000_000


@pytest.fixture(scope="session")
def paper_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The synthetic paper, drawn now."""
    path = tmp_path_factory.mktemp("paper") / "paper.pdf"
    path.write_bytes(draw_paper(read_text()))
    return path


@pytest.fixture(scope="session")
def paper(paper_file: Path) -> ParsedFile:
    return read_file(paper_file, LIMIT)


@pytest.fixture(scope="session")
def tables(paper: ParsedFile) -> DocumentTables:
    return tables_of(paper)


@pytest.fixture(scope="session", params=["synthetic", *(["real"] if REAL_PAPER else [])])
def any_paper(request: pytest.FixtureRequest, paper: ParsedFile) -> ParsedFile:
    """The synthetic paper, and the real one where KIYO_ATTENTION_PDF names it."""
    return paper if request.param == "synthetic" else read_file(Path(REAL_PAPER), LIMIT)


@pytest.fixture(scope="session")
def any_tables(any_paper: ParsedFile) -> DocumentTables:
    return tables_of(any_paper)


@pytest.fixture(scope="session")
def local_model() -> LocalEmbedder:
    """The model that Kiyo ships, loaded once."""
    return LocalEmbedder()
