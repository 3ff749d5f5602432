"""A second process for the tests: `python worker.py TASK URL NAME`, begun by a line on standard input."""

from __future__ import annotations

import sys

from core.ports import LateOutcome
from core.storage.answers import SqlAnswerStore
from core.storage.articles import write_article
from core.storage.engine import Database, open_database
from core.storage.jobs import SqlJobStore
from core.storage.knowledge import SqlKnowledgeStore
from core.storage.migrating import upgrade
from tests.samples import Shown, answer_with, article_record

WRITES = 200


def write(database: Database, name: str) -> None:
    """Half of the writes are articles, half are answers about the same two articles."""
    knowledge, answers = SqlKnowledgeStore(database), SqlAnswerStore(database)
    for n in range(WRITES // 2):
        knowledge.save_article(article_record(f"{name}-{n % 10}.md", [f"Line {n}.", "The same."]))
        shown = [Shown("docs:a.md", {0: "The same."}), Shown("docs:b.md")]
        answers.record_answer(answer_with(f"{name}-{n}", shown, statements=2))


def work(database: Database, name: str) -> None:
    """Take jobs until there are none; prints the id of each."""
    jobs = SqlJobStore(database)
    while (job := jobs.claim(name, 60, ["ask"])) is not None:
        jobs.finish(job.id, {"by": name})
        sys.stdout.write(f"{job.id}\n")


def evaluate(database: Database, name: str) -> None:
    """Give every answer that waits the evaluation it was made with; prints the id of each that was taken."""
    answers = SqlAnswerStore(database)
    while (pending := answers.claim_evaluation(name, 60)) is not None:
        shown = [Shown("docs:a.md", {0: "The same."}), Shown("docs:b.md")]
        evaluation = answer_with(pending.answer_id, shown, statements=2).evaluation
        if answers.finish_evaluation(pending, LateOutcome(evaluation, 0.5, 0.5, None)):
            sys.stdout.write(f"{pending.answer_id}\n")


def stall(database: Database, name: str) -> None:
    """Write an article and stop before the end of the transaction, until killed."""
    with database.writing() as connection:
        write_article(connection, article_record(f"{name}.md", [f"New {n}." for n in range(50)]), 1)
        say("written")
        sys.stdin.readline()


def say(word: str) -> None:
    sys.stdout.write(f"{word}\n")
    sys.stdout.flush()


def main(task: str, url: str, name: str) -> None:
    if task == "upgrade":
        say("ready")
        sys.stdin.readline()
        say(upgrade(url))
        return
    database = open_database(url)
    say("ready")
    sys.stdin.readline()
    {"write": write, "work": work, "evaluate": evaluate, "stall": stall}[task](database, name)
    database.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
