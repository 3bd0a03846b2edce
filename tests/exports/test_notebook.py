"""The examples of docs/use/notebook.md produce the output that the page shows."""

from __future__ import annotations

import contextlib
import io
import os
import re
from collections.abc import Iterator
from pathlib import Path

import matplotlib.pyplot as plt
import pytest
import synthetic_job as made
from faulty_job import Fault, training

pytestmark = pytest.mark.any_torch

_DOCS = Path(__file__).parents[2] / "docs"
_BLOCK = re.compile(r"^```(python|text)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
#: The page's pictures, in the order in which it draws them.
_PICTURES = ("notebook-last.png", "notebook-waits.png", "notebook-steps.png")
#: Absolute path of a folder; if set, the pictures are written there.
_WRITE_TO = os.environ.get("TEST_WRITE_PICTURES")


def _examples() -> Iterator[tuple[str, str]]:
    """Returns each example and the output on the page: "" where it shows a picture."""
    blocks = _BLOCK.findall((_DOCS / "use" / "notebook.md").read_text())
    for i, (kind, text) in enumerate(blocks):
        if kind == "python":
            follows = blocks[i + 1 : i + 2]
            yield text, follows[0][1] if follows and follows[0][0] == "text" else ""


def test_every_answer_is_what_the_page_shows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plt.switch_backend("Agg")
    made.write(tmp_path / "run42", training(8, 40, Fault(late=5)))
    monkeypatch.chdir(tmp_path)
    seen: dict[str, object] = {}
    for code, shown in _examples():
        output = io.StringIO()
        with contextlib.redirect_stdout(output):
            exec(compile(code, "docs/use/notebook.md", "exec"), seen)
        # Releases of pandas differ in whitespace.
        assert output.getvalue().split() == shown.split(), code
    figures = [plt.figure(number) for number in plt.get_fignums()]
    assert len(figures) == len(_PICTURES)
    for figure, name in zip(figures, _PICTURES, strict=True):
        assert figure.axes[0].has_data()
        assert (_DOCS / "use" / name).exists()
        if _WRITE_TO:
            figure.set_size_inches(6, 3)
            figure.savefig(Path(_WRITE_TO) / name, dpi=80, bbox_inches="tight")
    plt.close("all")
