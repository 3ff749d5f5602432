"""Settings: what is accepted, what stops the start, and what the message says."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from core.config import Settings, describe_settings, load_settings
from core.errors import SettingsError

DOCUMENTED = """
[memory]
backend = "embeddings"
acl_enabled = true

[memory.embeddings]
provider = "openai"
model = "text-embedding-3-small"
dimensions = 1536
vector_store = "sqlite"
api_key = "${OPENAI_API_KEY}"

[rag]
enabled = true
max_results = 10
relevance_threshold = 0.3
max_context_tokens = 4000
selection_strategy = "top_k"
mmr_lambda = 0.7
query_reformulation = false

[rag.chunking]
strategy = "recursive"
chunk_size = 512
chunk_overlap = 64
separators = ["\\n## ", "\\n### ", "\\n\\n", "\\n", ". "]
"""


def read(tmp_path: Path, text: str, env: Mapping[str, str] | None = None) -> Settings:
    path = tmp_path / "kiyo.toml"
    path.write_text(text, encoding="utf-8")
    return load_settings(path, env or {})


def refusal(tmp_path: Path, text: str, env: Mapping[str, str] | None = None) -> str:
    with pytest.raises(SettingsError) as caught:
        read(tmp_path, text, env)
    return str(caught.value)


def test_the_documented_blocks_load_as_written(tmp_path: Path) -> None:
    settings = read(tmp_path, DOCUMENTED, {"OPENAI_API_KEY": "sk-1"})
    assert settings.memory.embeddings.api_key.get_secret_value() == "sk-1"
    assert settings.rag.chunking.separators == ("\n## ", "\n### ", "\n\n", "\n", ". ")


@pytest.mark.parametrize(
    "block",
    [
        'provider = "ollama"\nmodel = "nomic-embed-text"\nendpoint = "http://localhost:11434"',
        'provider = "local"\nmodel = "fastembed"',
        'provider = "local"',
        'vector_store = "chroma"',
    ],
)
def test_every_documented_embedding_block_loads(tmp_path: Path, block: str) -> None:
    read(tmp_path, f"[memory.embeddings]\n{block}\n")


def test_the_documented_defaults_hold_without_a_file() -> None:
    rag = load_settings(environ={}).rag
    assert (rag.max_results, rag.relevance_threshold, rag.max_context_tokens) == (10, 0.3, 4000)
    assert (rag.selection_strategy, rag.mmr_lambda) == ("top_k", 0.7)
    chunking = rag.chunking
    assert (chunking.strategy, chunking.chunk_size, chunking.chunk_overlap) == ("recursive", 512, 64)
    assert chunking.separators == ("\n## ", "\n### ", "\n\n", "\n", ". ", "。")


def test_the_environment_beats_the_file_for_one_nested_key(tmp_path: Path) -> None:
    env = {"KIYO_RAG__CHUNKING__CHUNK_SIZE": "256", "KIYO_LLM__MODEL": "123"}
    settings = read(tmp_path, "[rag.chunking]\nchunk_size = 300\nchunk_overlap = 30\n", env)
    assert (settings.rag.chunking.chunk_size, settings.rag.chunking.chunk_overlap) == (256, 30)
    assert settings.llm.model == "123"


def test_an_unknown_key_names_itself_and_the_nearest_valid_one(tmp_path: Path) -> None:
    message = refusal(tmp_path, "[rag]\nmax_result = 3\n")
    assert "rag.max_result" in message
    assert "did you mean rag.max_results?" in message


def test_an_unknown_key_in_the_environment_stops_the_start() -> None:
    with pytest.raises(SettingsError, match=r"rag\.max_resutls.*did you mean rag\.max_results"):
        load_settings(environ={"KIYO_RAG__MAX_RESUTLS": "3"})


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('[rag]\nmax_results = "ten"\n', "rag.max_results: expected a whole number, got 'ten'"),
        ("[rag]\nenabled = 1\n", "rag.enabled: expected true or false, got 1"),
        ("[rag]\nrelevance_threshold = 2.0\n", "rag.relevance_threshold: input should be less"),
        ("[memory.embeddings]\nmodel = 3\n", "memory.embeddings.model: expected a text, got 3"),
        ("rag = 3\n", "rag: expected a section"),
        ('[rag.chunking]\nseparators = "x"\n', "rag.chunking.separators: "),
    ],
)
def test_a_wrong_type_names_the_key_and_what_was_expected(tmp_path: Path, text: str, expected: str) -> None:
    assert expected in refusal(tmp_path, text)


@pytest.mark.parametrize("overlap", [64, 65])
def test_an_overlap_that_reaches_the_size_is_refused(tmp_path: Path, overlap: int) -> None:
    message = refusal(tmp_path, f"[rag.chunking]\nchunk_size = 64\nchunk_overlap = {overlap}\n")
    assert "chunk_overlap" in message
    assert "smaller than chunk_size" in message


@pytest.mark.parametrize("store", ["postgres", "qdrant"])
def test_a_vector_store_that_does_not_exist_yet_answers_with_a_sentence(tmp_path: Path, store: str) -> None:
    message = refusal(tmp_path, f'[memory.embeddings]\nvector_store = "{store}"\n')
    assert "does not exist yet; use 'chroma' or 'sqlite'" in message


def test_a_literal_secret_in_the_file_is_refused_and_not_repeated(tmp_path: Path) -> None:
    message = refusal(tmp_path, '[llm]\napi_key = "sk-very-secret"\n')
    assert "${LLM_API_KEY}" in message
    assert "sk-very-secret" not in message


def test_a_channel_token_in_the_file_is_refused_too(tmp_path: Path) -> None:
    assert "secret" in refusal(tmp_path, '[channels.slack]\nbot_token = "xoxb-1"\n')


def test_a_missing_variable_names_the_setting(tmp_path: Path) -> None:
    assert "llm.api_key refers to ${NOT_THERE}" in refusal(tmp_path, '[llm]\napi_key = "${NOT_THERE}"\n')


def test_a_broken_file_is_a_sentence(tmp_path: Path) -> None:
    assert "not valid TOML" in refusal(tmp_path, "[rag\n")


def test_a_named_file_must_exist(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="does not exist"):
        load_settings(tmp_path / "absent.toml", {})


def test_printed_settings_hold_no_secret(tmp_path: Path) -> None:
    env = {"KEY": "sk-1", "KIYO_STORAGE__URL": "postgresql+psycopg://kiyo:hunter2@db/kiyo"}
    text = '[llm]\napi_key = "${KEY}"\n[channels.slack]\nbot_token = "${KEY}"\napp_token = "${KEY}"\n'
    printed = str(describe_settings(read(tmp_path, text, env)))
    assert "sk-1" not in printed
    assert "hunter2" not in printed
    assert "postgresql+psycopg://kiyo:********@db/kiyo" in printed


def test_groups_of_people_and_places_are_lists_of_names(tmp_path: Path) -> None:
    text = '[access.people]\nmika = ["staff", "managers"]\n[access.channels]\n"slack:help" = ["public"]\n'
    access = read(tmp_path, text).access
    assert access.people == {"mika": ("staff", "managers")}
    assert access.channels == {"slack:help": ("public",)}
    assert "access.people.mika" in refusal(tmp_path, '[access.people]\nmika = "staff"\n')


def test_a_file_with_a_byte_order_mark_is_read(tmp_path: Path) -> None:
    path = tmp_path / "kiyo.toml"
    path.write_bytes(b"\xef\xbb\xbf[rag]\nmax_results = 3\n")
    assert load_settings(path, {}).rag.max_results == 3


def test_a_folder_in_place_of_the_file_is_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="is a folder"):
        load_settings(tmp_path, {})


@pytest.mark.parametrize("name", ["KIYO_RAG", "KIYO_MEMORY"])
def test_a_variable_for_a_whole_section_is_refused(name: str) -> None:
    with pytest.raises(SettingsError, match=f"write {name}__KEY"):
        load_settings(environ={name: '{"max_results": 3}'})


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("KIYO_INGEST__MAX_FILE_MB", "inf"),
        ("KIYO_RAG__RELEVANCE_THRESHOLD", "nan"),
        ("KIYO_RAG__CHUNKING__SEPARATORS", '["", "\\n"]'),
    ],
)
def test_values_that_mean_nothing_are_refused(name: str, value: str) -> None:
    dotted = name.removeprefix("KIYO_").lower().replace("__", ".").removesuffix(".separators")
    with pytest.raises(SettingsError, match=dotted):
        load_settings(environ={name: value})


def test_roles_and_groups_of_an_openid_provider_are_tables_of_lists(tmp_path: Path) -> None:
    path = tmp_path / "kiyo.toml"
    path.write_text(
        '[dashboard.oidc]\nenabled = true\npublic_url = "https://kiyo.example"\nmetadata_url = "https://id.example"\n'
        'client_id = "kiyo"\ndefault_roles = ["viewer"]\n[dashboard.oidc.roles]\nsupport = ["reviewer"]\n'
        '[dashboard.oidc.groups]\nsupport = ["staff"]\n'
    )
    chosen = load_settings(path, environ={}).dashboard.oidc
    assert (chosen.roles, chosen.groups) == ({"support": ("reviewer",)}, {"support": ("staff",)})


def test_a_provider_without_its_addresses_stops_the_start(tmp_path: Path) -> None:
    path = tmp_path / "kiyo.toml"
    path.write_text('[dashboard.oidc]\nenabled = true\nclient_id = "kiyo"\n')
    with pytest.raises(SettingsError, match="public_url, metadata_url"):
        load_settings(path, environ={})
