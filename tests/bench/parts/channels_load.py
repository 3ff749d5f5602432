"""Questions on four channels at once, through each platform's own SDK, to one `kiyo serve`: speed, a burst,
kill -9 under load, and what it takes while nobody asks."""

from __future__ import annotations

import asyncio
import os
import random
import re
import shutil
import signal
import socket
import sys
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from core.ports import no_progress
from core.storage.migrating import upgrade
from tests.bench.children import one_threaded
from tests.bench.corpora import Corpora
from tests.bench.figures import Context, Figure, at_most, percentile
from tests.bench.pool import load_pool
from tests.bench.retrieval_sets import data_folder
from tests.bench.town import TOKENS, Question, Town, config, town

CHUNKS = 1_000
SECONDS, RATE = 60, 10
BURST, BURST_SECONDS = 500, 5
KILLS = 50
START_SECONDS = 60.0
REST_SECONDS, IDLE_SECONDS = 15.0, 30.0
DELIVERED_P95_MS, ACKNOWLEDGED_P99_MS, LAG_P99_MS = at_most(1500), at_most(300), at_most(100)
RESIDENT_MB, IDLE_SHARE, NONE = at_most(500), at_most(1.0), at_most(0)
_TICKS = os.sysconf("SC_CLK_TCK")
_LAG = re.compile(r'kiyo_loop_lag_seconds\{share="0\.99"\} (\S+)')


def run(context: Context) -> list[Figure]:
    pool = load_pool(data_folder())
    store = Corpora(pool, context.folder).prepare(CHUNKS, no_progress)
    figures = []
    for part in (_steady, _killed):
        folder = context.folder / f"channels-{part.__name__.strip('_')}"
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(store, folder)
        upgrade(f"sqlite:///{folder}/kiyo.db")
        figures += asyncio.run(part(folder, pool.questions))
    return figures


@dataclass(slots=True)
class Server:
    """One `kiyo serve` after another on one folder."""

    made: Town
    folder: Path
    process: asyncio.subprocess.Process | None = None

    async def start(self) -> None:
        """Until every channel can hear."""
        file = self.folder / "kiyo.toml"
        file.write_text(config(self.made, str(self.folder)), encoding="utf-8")
        environ = one_threaded({**TOKENS, "KIYO_CONFIG": str(file)})
        with (self.folder / "serve.log").open("ab") as log:
            self.process = await asyncio.create_subprocess_exec(
                sys.executable, "-m", "bots", "serve", env=environ, stdout=log, stderr=log
            )
        await self._ready()

    async def _ready(self) -> None:
        until = time.perf_counter() + START_SECONDS
        while not (self.made.connected() and await self.figures()):
            if time.perf_counter() > until:
                raise TimeoutError((self.folder / "serve.log").read_text(encoding="utf-8")[-2000:])
            await asyncio.sleep(0.05)

    async def figures(self) -> str:
        """What /metrics says; "" before there is a server."""
        try:
            async with self.made.web.get(f"http://127.0.0.1:{self.made.port}/metrics") as answer:
                return await answer.text()
        except OSError:
            return ""

    async def end(self, number: int = signal.SIGTERM) -> None:
        assert self.process is not None
        self.process.send_signal(number)
        await self.process.wait()

    def resident_mb(self) -> float:
        assert self.process is not None
        status = Path(f"/proc/{self.process.pid}/status").read_text(encoding="ascii")
        row = next(line for line in status.splitlines() if line.startswith("VmRSS"))
        return round(int(row.split()[1]) / 1024, 1)

    def cpu_seconds(self) -> float:
        assert self.process is not None
        fields = Path(f"/proc/{self.process.pid}/stat").read_text(encoding="ascii").rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / _TICKS


async def _steady(folder: Path, questions: Sequence[str]) -> list[Figure]:
    async with town(_free_port()) as made:
        server = Server(made, folder)
        await server.start()
        await _ask_evenly(made, questions, 2 * RATE, 2)  # what is read at the first question
        await made.settle(60)
        measured = [*await _idle(server), *await _load(server, questions), *await _burst(server, questions)]
        await server.end()
        return measured


async def _idle(server: Server) -> list[Figure]:
    await asyncio.sleep(REST_SECONDS)
    before = server.cpu_seconds()
    await asyncio.sleep(IDLE_SECONDS)
    share = (server.cpu_seconds() - before) / IDLE_SECONDS * 100
    return [
        Figure("idle, all channels: share of a core", round(share, 2), "%", IDLE_SHARE),
        Figure("idle, all channels: resident", server.resident_mb(), "MB", RESIDENT_MB),
    ]


async def _load(server: Server, questions: Sequence[str]) -> list[Figure]:
    made = server.made
    made.ledger.questions.clear()
    before = server.cpu_seconds()
    await _ask_evenly(made, questions, SECONDS * RATE, SECONDS)
    found = _LAG.search(await server.figures())
    await made.settle(120)
    name = f"{RATE} questions/s for {SECONDS} s"
    delivered = _delays(made.ledger.questions.values())
    acknowledged = [one * 1000 for one in made.acknowledgements()]
    lag = None if found is None else round(float(found[1]) * 1000, 1)
    cpu = (server.cpu_seconds() - before) / (SECONDS * RATE) * 1000
    return [
        Figure(f"{name}: event to delivered p50", round(percentile(delivered, 50)), "ms"),
        Figure(f"{name}: event to delivered p95", round(percentile(delivered, 95)), "ms", DELIVERED_P95_MS),
        Figure(
            f"{name}: acknowledged p99", round(percentile(acknowledged, 99), 1), "ms", ACKNOWLEDGED_P99_MS
        ),
        Figure(f"{name}: loop lag p99", lag, "ms", LAG_P99_MS),
        Figure(f"{name}: CPU of one question", round(cpu, 1), "ms"),
        Figure(f"{name}: resident", server.resident_mb(), "MB", RESIDENT_MB),
        *_counts(made, name),
    ]


async def _burst(server: Server, questions: Sequence[str]) -> list[Figure]:
    made = server.made
    made.ledger.questions.clear()
    made.ledger.replies.clear()
    await _ask_evenly(made, questions, BURST, BURST_SECONDS)
    started = time.perf_counter()
    await made.settle(240)
    name = f"{BURST} questions in {BURST_SECONDS} s"
    return [
        Figure(f"{name}: all answered after", round(time.perf_counter() - started, 1), "s"),
        Figure(f"{name}: overtaken in a thread", made.ledger.overtaken(), "", NONE),
        Figure(f"{name}: resident", server.resident_mb(), "MB", RESIDENT_MB),
        *_counts(made, name),
    ]


async def _killed(folder: Path, questions: Sequence[str]) -> list[Figure]:
    chance = random.Random(4)
    async with town(_free_port()) as made:
        server = Server(made, folder)
        for _ in range(KILLS):
            await server.start()
            seconds = chance.uniform(0.2, 2.5)
            asking = asyncio.ensure_future(_ask_evenly(made, questions, int(4 * RATE), 4))
            await asyncio.sleep(seconds)
            await server.end(signal.SIGKILL)
            asking.cancel()
            await asyncio.wait([asking])
            made.repeat()
        await server.start()
        await made.settle(420)
        await server.end()
        unsure = sum("unknown whether" in text for text in made.ledger.staff)
        name = f"kill -9, {KILLS} times"
        return [*_counts(made, name, unsure), Figure(f"{name}: operator told", unsure)]


async def _ask_evenly(made: Town, questions: Sequence[str], count: int, seconds: float) -> None:
    started = time.perf_counter()
    for number in range(count):
        await asyncio.sleep(max(0.0, started + number * seconds / count - time.perf_counter()))
        await made.ask(questions[made.count % len(questions)])
        if number % RATE == 0:
            made.repeat()


def _delays(questions: Iterable[Question]) -> list[float]:
    return [(one.posts[0][0] - one.asked) * 1000 for one in questions if one.posts]


def _counts(made: Town, name: str, unsure: int = 0) -> list[Figure]:
    """unsure: Telegram's, of which the operator was told."""
    asked = made.ledger.questions.values()
    lost = {
        platform: sum(not q.posts for q in asked if q.platform == platform)
        for platform in ("slack", "discord", "telegram", "github")
    }
    told = min(unsure, lost["telegram"])
    print(name, "lost by platform:", lost, "told:", told, file=sys.stderr)
    return [
        Figure(f"{name}: questions", len(asked)),
        Figure(f"{name}: lost", sum(lost.values()) - told, "", NONE),
        Figure(f"{name}: doubled", sum(q.doubled for q in asked), "", NONE),
    ]


def _free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])
