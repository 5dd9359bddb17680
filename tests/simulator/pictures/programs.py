"""Programs that pictures are drawn of."""

from __future__ import annotations

SHORT = (
    "mvp/n512 $d0 $lc0@.0\nl2bmd $lc0 $lb0\nnop/2\nl1bmd $lb0 $lm0v\nnop/2\nfvadd $lm0v $lr0v $ln0v; ipassa $ls0v $lr4v"
)
