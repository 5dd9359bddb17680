"""What may come up where an archive of arrays, an .npz file, is damaged."""

from __future__ import annotations

import zipfile
import zlib

NPZ_ERRORS: tuple[type[Exception], ...] = (
    OSError, ValueError, LookupError, TypeError, EOFError, zipfile.BadZipFile, zlib.error,
    RuntimeError,  # a flag says that it is encrypted, or packed in a way that Python does not know
)  # fmt: skip
"""All that `numpy.load`, and reading its arrays, raises of a file that is damaged or not there."""
