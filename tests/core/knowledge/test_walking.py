"""Which files a list of paths means."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.knowledge.walking import FoundFile, Problem, walk_files

SUFFIXES = (".md", ".txt")


def make(root: Path, *names: str) -> None:
    for name in names:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("x", encoding="utf-8")


def names(root: Path, *paths: Path, recursive: bool = True) -> list[str]:
    found = walk_files(paths or (root,), recursive, SUFFIXES)
    return [item.path.relative_to(root).as_posix() for item in found if isinstance(item, FoundFile)]


def problems(*paths: Path) -> list[tuple[str, str]]:
    found = walk_files(paths, True, SUFFIXES)
    return [(item.path.name, item.reason) for item in found if isinstance(item, Problem)]


def test_files_come_in_one_order_whatever_the_file_system_says(tmp_path: Path) -> None:
    make(tmp_path, "b.md", "a.txt", "z/c.md", "a/d.MD", "a/e.png", "c.md")
    assert names(tmp_path) == ["a.txt", "b.md", "c.md", "a/d.MD", "z/c.md"]


def test_a_folder_without_recursion_gives_its_direct_files_only(tmp_path: Path) -> None:
    make(tmp_path, "b.md", "a/d.md")
    assert names(tmp_path, recursive=False) == ["b.md"]


def test_hidden_and_generated_folders_are_passed_over(tmp_path: Path) -> None:
    make(tmp_path, "a.md", ".hidden.md", ".git/x.md", "node_modules/x.md", "__pycache__/x.md", ".venv/x.md")
    assert names(tmp_path) == ["a.md"]
    assert problems(tmp_path) == []


def test_a_named_file_comes_whatever_its_suffix_and_only_once(tmp_path: Path) -> None:
    make(tmp_path, "a.md", "odd.bin")
    assert names(tmp_path, tmp_path / "odd.bin", tmp_path / "a.md", tmp_path) == ["odd.bin", "a.md"]


def test_loops_of_links_end_and_linked_folders_are_walked_once(tmp_path: Path) -> None:
    make(tmp_path, "a/one.md", "b/two.md")
    (tmp_path / "a" / "up").symlink_to(tmp_path)
    (tmp_path / "a" / "again").symlink_to(tmp_path / "a")
    (tmp_path / "c").symlink_to(tmp_path / "b")
    assert names(tmp_path) == ["a/one.md", "b/two.md"]


def test_links_that_lead_nowhere_or_to_themselves_are_problems(tmp_path: Path) -> None:
    (tmp_path / "gone.md").symlink_to(tmp_path / "nothing")
    (tmp_path / "self.md").symlink_to(tmp_path / "self.md")
    assert problems(tmp_path) == [
        ("gone.md", "This link leads nowhere."),
        ("self.md", "This link leads back to itself."),
    ]


def test_missing_paths_and_special_files_are_problems(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.md")
    assert problems(tmp_path, tmp_path / "missing", tmp_path / "pipe.md") == [
        ("pipe.md", "This is neither a file nor a folder."),
        ("missing", "This does not exist."),
        ("pipe.md", "This is neither a file nor a folder."),
    ]


def test_an_unreadable_folder_is_a_problem_and_the_rest_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make(tmp_path, "a/x.md", "b/y.md")
    listed = os.scandir

    def deny(path: Path) -> Iterator[os.DirEntry[str]]:
        if Path(path).name == "a":
            raise PermissionError(13, "Permission denied", str(path))
        return listed(path)

    monkeypatch.setattr(os, "scandir", deny)  # root may read everything, so the system says no here
    assert problems(tmp_path) == [("a", "This may not be read (permission denied).")]
    assert names(tmp_path) == ["b/y.md"]


def test_found_files_carry_size_and_time(tmp_path: Path) -> None:
    make(tmp_path, "a.md")
    os.utime(tmp_path / "a.md", ns=(5, 7))
    assert list(walk_files([tmp_path], False, SUFFIXES)) == [FoundFile(tmp_path / "a.md", 1, 7)]


def test_a_problem_becomes_a_line_of_the_report(tmp_path: Path) -> None:
    outcome = Problem(tmp_path / "a", "This does not exist.").outcome("docs/a")
    assert (outcome.path, outcome.status, outcome.reason) == ("docs/a", "skipped", "This does not exist.")


def test_a_deep_tree_does_not_overflow(tmp_path: Path) -> None:
    folder = tmp_path
    for _ in range(300):
        folder = folder / "d"
    folder.mkdir(parents=True)
    make(folder, "x.md")
    assert len(names(tmp_path)) == 1
