"""Five company rules and six questions from a public tutorial, with the figures that it gives."""

from __future__ import annotations

import pytest

from core.domain import ANONYMOUS
from core.providers.local_embeddings import LocalEmbedder
from core.usecases.eval_retrieval import Document, Question, evaluate_retrieval, index_corpus
from core.usecases.retrieve import retrieve
from tests.core.usecases.workspace import Workspace

RULES = {
    "経費": "経費精算は、支払った日から30日以内に経費システムで申請します。"
    "領収書の画像を添付してください。5万円を超える支出は事前に上長の承認が必要です。",
    "有給": "有給休暇は入社6か月後に10日付与されます。"
    "取得する日の3営業日前までに勤怠システムで申請してください。半日単位でも取得できます。",
    "在宅": "在宅勤務は週3日まで認めます。前日までにチャットで上長に連絡してください。"
    "自宅のネットワーク代として月3,000円を支給します。",
    "出張": "出張の交通費は経費システムで精算します。"
    "新幹線は普通車指定席まで、飛行機はエコノミークラスまでを会社が負担します。",
    "PC": "パソコンが故障したときは、情報システム部に内線1234で連絡してください。"
    "代わりのパソコンを貸し出します。",
}
ANSWERS = {
    "領収書はどうすればいいですか": "経費",
    "新幹線のグリーン車は使えますか": "出張",
    "パソコンが壊れました": "PC",
    "家で働けるのは週に何日までですか": "在宅",
    "休みを取りたいときの手続き": "有給",
    "入社してすぐ休暇はもらえますか": "有給",
}
CORPUS = [Document(name, "", text) for name, text in RULES.items()]
QUESTIONS = [Question(str(n), text, frozenset({gold})) for n, (text, gold) in enumerate(ANSWERS.items())]


async def test_six_questions_by_words_alone_with_plain_bigrams(workspace: Workspace) -> None:
    services = workspace.open({"rag": {"analyser": "bigram"}})
    figures = await evaluate_retrieval(services, CORPUS, QUESTIONS, "keyword")
    assert figures["n"] == 6
    for name in ("recall@1", "recall@3", "mrr@10"):
        assert figures[name] == pytest.approx(5 / 6, abs=5e-4), name


async def test_bigrams_find_no_rule_on_leave_for_a_question_in_other_words(workspace: Workspace) -> None:
    services = workspace.open({"rag": {"analyser": "bigram"}})
    await index_corpus(services, CORPUS)
    audiences = services.knowledge.readable_audiences(ANONYMOUS)
    hits = services.keyword.search(services.analyse("休みを取りたいときの手続き"), audiences, 5)
    stored = services.knowledge.load_chunks([hit.chunk_id for hit in hits], audiences)
    assert [stored[hit.chunk_id].chunk.text for hit in hits] == [RULES["PC"]]


async def test_words_and_meaning_together_find_it(workspace: Workspace, local_model: LocalEmbedder) -> None:
    workspace.embedder = local_model
    services = workspace.open({"rag": {"analyser": "morphological"}})
    await index_corpus(services, CORPUS)
    for question, gold in ANSWERS.items():
        sources = (await retrieve(services, question, ANONYMOUS)).selection.sources
        assert sources, question
        assert sources[0].candidate.chunk.text == RULES[gold], question
