"""What importing this package costs."""

import subprocess
import sys


def test_importing_loads_neither_tokenizer_nor_dictionary_nor_stemmer() -> None:
    code = (
        "import sys\n"
        "import core.text.language, core.text.quantities, core.text.sentences\n"
        "import core.text.terms, core.text.tokens\n"
        "heavy = {'sudachipy', 'sudachidict_small', 'Stemmer', 'snowballstemmer', 'numpy'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
