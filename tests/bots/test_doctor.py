"""The checks of `kiyo doctor`."""

from __future__ import annotations

import asyncio
from pathlib import Path

from pydantic import SecretStr

from bots.doctor import Check, check_channels, check_database, check_extras, check_folder, run_checks
from core.app import index_lock
from core.config import Settings, load_settings
from core.sections.channels import ChannelsSettings
from core.storage.migrating import downgrade, upgrade
from tests.bots.channels.telegram.lab import TelegramLab


def by_name() -> dict[str, Check]:
    return {check.name: check for check in run_checks()}


def test_a_new_installation_is_told_what_to_do_next(workplace: Path) -> None:
    checks = by_name()
    assert checks["python"].status == "ok"
    assert checks["folder"].found == str(workplace / ".kiyo")
    assert checks["database"].status == "warn"
    assert "kiyo ingest" in checks["database"].advice
    assert checks["embedding model"].status == "ok"
    assert not [check for check in checks.values() if check.status == "fail"]


def test_an_empty_knowledge_base_is_named(workplace: Path) -> None:
    upgrade(load_settings().database_url)
    checks = by_name()
    assert checks["database"].status == "ok"
    assert (checks["lock"].status, checks["lock"].found) == ("ok", "free")
    assert checks["indexes"].found == "the knowledge base is empty"
    assert checks["language model"].found.startswith("none configured")


def test_a_database_that_is_behind_is_a_fault_with_the_command_that_mends_it(workplace: Path) -> None:
    settings = load_settings()
    upgrade(settings.database_url)
    downgrade(settings.database_url, "0001")
    check = check_database(settings)
    assert (check.status, check.advice) == ("fail", "Run `kiyo db upgrade`.")


def test_who_holds_the_lock_is_no_fault(workplace: Path) -> None:
    settings = load_settings()
    upgrade(settings.database_url)
    with index_lock(settings):
        checks = by_name()
    assert checks["lock"].status == "warn"
    assert "indexes" not in checks


def test_settings_that_are_wrong_end_the_checks(workplace: Path) -> None:
    (workplace / "kiyo.toml").write_text("[rag]\nmax_results = 'ten'\n")
    checks = list(run_checks())
    assert (checks[-1].name, checks[-1].status) == ("settings", "fail")
    assert checks[-1].found.startswith("rag.max_results: expected a whole number")


def test_a_folder_that_cannot_be_written_is_a_fault(workplace: Path) -> None:
    (workplace / ".kiyo").write_text("a file where the folder should be")
    check = check_folder(load_settings())
    assert check.status == "fail"
    assert "[storage] folder" in check.advice


def test_an_extra_that_the_settings_need_is_told_from_one_that_nobody_needs(workplace: Path) -> None:
    (workplace / "kiyo.toml").write_text('[llm]\nmodel = "ollama/qwen3"\n')
    extras = {"llm": "no_such_module", "postgres": "no_such_module"}
    checks = {check.name: check for check in check_extras(load_settings(), extras)}
    assert checks["extra llm"].status == "fail"
    assert checks["extra postgres"].status == "warn"
    assert 'pip install -e ".[llm]"' in checks["extra llm"].advice


async def test_channels_are_asked_what_they_lack() -> None:
    async with TelegramLab() as lab:
        wrong = lab.settings().model_copy(update={"token": SecretStr("1:x")})
        found = [
            await asyncio.to_thread(list, check_channels(Settings(channels=ChannelsSettings(telegram=one))))
            for one in (lab.settings(), wrong)
        ]
    assert [check.status for check in found[0]] == ["ok", "ok"]
    assert [check.status for check in found[1]] == ["fail"]
    assert "TELEGRAM_TOKEN" in found[1][0].found
