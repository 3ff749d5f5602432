"""`.ci/run` brings the browser where it can, never fails for the lack of it, then does what a user types."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

SCRIPT = Path(__file__).parents[1] / ".ci" / "run"
INSTALL = "apt-get install -y -qq --no-install-recommends chromium"
TYPED = ["make test", "make demo ARGS=--once"]
NEEDED = ("bash", "dirname", "timeout")


def run_ci(folder: Path, **programs: str) -> list[str]:
    """What is called, in order, where nothing but these programs is. programs: the rest of a script."""
    log = folder / "called"
    for name in NEEDED:
        found = shutil.which(name)
        assert found is not None
        (folder / name).symlink_to(found)
    for name, rest in {"make": "", "id": "echo 0", **programs}.items():
        said = "" if name == "id" else f'echo "{name.replace("_", "-")} $*" >> "{log}"'
        program = folder / name.replace("_", "-")
        program.write_text(f"#!{shutil.which('bash')}\n{said}\n{rest}\n", encoding="utf-8")
        program.chmod(0o755)
    subprocess.run([str(folder / "bash"), str(SCRIPT)], env={"PATH": str(folder)}, check=True)
    return log.read_text(encoding="utf-8").splitlines()


def test_a_missing_browser_is_installed_first(tmp_path: Path) -> None:
    assert run_ci(tmp_path, apt_get="") == ["apt-get update -qq", INSTALL, *TYPED]


def test_a_browser_that_is_there_is_left_alone(tmp_path: Path) -> None:
    assert run_ci(tmp_path, apt_get="", chromium="") == TYPED


def test_an_installation_that_fails_stops_nothing(tmp_path: Path) -> None:
    assert run_ci(tmp_path, apt_get="exit 100")[-2:] == TYPED


def test_only_the_administrator_installs(tmp_path: Path) -> None:
    assert run_ci(tmp_path, apt_get="", id="echo 1000") == TYPED


def test_a_system_without_apt_runs_the_tests(tmp_path: Path) -> None:
    assert run_ci(tmp_path) == TYPED
