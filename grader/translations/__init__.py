"""Titles, hints and contracts of the tasks in other languages, a file for each notebook.

    python -m grader.translations [--new] [NAMES]     what is to be translated, marked in the files

In `ja/05_mncore_ops/03_rows.toml` every task has the hash of the English texts that its translation is of. After they
have changed, the command writes `stale` before the hash; in a new entry, whose texts are English, `missing`. Translate,
and delete the word. A text that is not translated as it is now is shown in English. The contract in a stub is English,
and binding; what `contract("5.3")` shows helps to read it.
"""

from grader.translations.contracts import contract_of
from grader.translations.texts import Texts, texts_of

__all__ = ["Texts", "contract_of", "texts_of"]
