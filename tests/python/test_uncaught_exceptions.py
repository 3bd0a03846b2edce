"""The record of an exception; no code of the program runs for it."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from traced._torch import endings


class _GuardedError(Exception):
    def __str__(self) -> str:
        raise AssertionError("asked for its text")

    __repr__ = __str__


class _GuardedText(str):
    def __str__(self) -> str:
        raise AssertionError("asked for its text")

    __repr__ = __str__


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (RuntimeError("boom"), "RuntimeError: boom"),
        (RuntimeError(), "RuntimeError"),
        (RuntimeError("a", 2), "RuntimeError: ('a', 2)"),
        (KeyError("weight"), "KeyError: 'weight'"),
        (
            FileNotFoundError(2, "No such file", "x"),
            "FileNotFoundError: [Errno 2] No such file: 'x'",
        ),
        (KeyboardInterrupt(), "KeyboardInterrupt"),
        (json.JSONDecodeError("bad", "doc", 0), "json.decoder.JSONDecodeError: bad"),
        (_GuardedError("plain", 7, object()), f"{__name__}._GuardedError: plain, 7"),
        (ValueError(_GuardedText("x")), "ValueError"),
        (ValueError(["a list"]), "ValueError"),
        (ValueError("x" * 5000), "ValueError: " + "x" * 1000),
    ],
)
def test_type_and_message(error: BaseException, text: str) -> None:
    assert endings.text_of(error).startswith(text)
    assert len(endings.text_of(error)) <= 1020


def test_the_line_that_was_interrupted() -> None:
    def load() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt) as raised:
        load()
    at = endings._interrupted_at(raised.value)
    assert at.startswith(f'\n  File "{__file__}", line ')
    assert at.endswith("load")
    assert endings._interrupted_at(KeyboardInterrupt()) == ""
    assert endings._interrupted_at(ValueError()) == ""


@pytest.mark.parametrize(
    ("error", "code"),
    [(None, 0), (SystemExit(), 0), (SystemExit(3), 3), (SystemExit("no"), 1), (ValueError(), 1)],
)
def test_exit_codes_are_those_of_multiprocessing(error: BaseException | None, code: int) -> None:
    assert endings.exit_code_of(error, None) == code
    assert endings.exit_code_of(error, ValueError("of the parent")) == code
    if error is not None:
        assert endings.exit_code_of(error, error) is None


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (b'{"message": {"message": "ValueError: bad", "extraInfo": {}}}', "ValueError: bad"),
        (b'{"message": "died"}', "died"),
        (b'{"message": "' + b"x" * (2 << 20), None),
        (b"no JSON", None),
        (b"[]", None),
    ],
)
def test_error_files(tmp_path: Path, content: bytes, text: str | None) -> None:
    path = tmp_path / "error.json"
    path.write_bytes(content)
    try:
        found: str | None = endings._text_of_error_file(str(path))
    except (ValueError, TypeError):  # what the caller handles
        found = None
    assert found == text


def test_an_old_error_file_is_ignored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "error.json"
    path.write_text('{"message": "of the attempt before"}')
    os.utime(path, (1000, 1000))
    monkeypatch.setattr(endings, "_installed_at", 2000.0)
    assert endings._text_of_error_file(str(path)) == ""
    assert endings._text_of_error_file(str(tmp_path / "none")) == ""
