"""Tells the trace what ends its process: exceptions that nobody catches.

The hooks of ``sys`` and ``threading`` are chained: the one that was there before is called after
ours, with the same arguments. No code of the program's runs for it: an exception whose text would
be made by a method of its own is told by its type and its plain arguments.
"""

from __future__ import annotations

import atexit
import json
import os
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from types import TracebackType
from typing import Any

# More than the recorder keeps of a text.
_MOST_CHARACTERS = 1000
_MOST_FILE_BYTES = 1 << 20
_MOST_PATH_CHARACTERS = 200
_MOST_NAME_CHARACTERS = 80
_STANDARD_LIBRARY = os.path.dirname(os.__file__) + os.sep
# Values whose text is made by no code of the program's.
_PLAIN = (str, int, float, bool, bytes, type(None))
_PLAIN_TEXT = {
    kind.__str__ for kind in (BaseException, KeyError, OSError, ImportError, UnicodeError)
}

_installed_at: float | None = None
# What was told as the end of the process: torch's decorator, the interpreter and a launcher may all
# meet the same exception.
_told = ""


def install() -> None:
    """Chains the hooks, once. A forked child inherits them."""
    global _installed_at
    if _installed_at is not None:
        return
    _installed_at = time.time()
    sys.excepthook = _ending_process(getattr(sys, "excepthook", sys.__excepthook__))
    threading.excepthook = _ending_thread(threading.excepthook)
    atexit.register(_tell_late)


def exit_code_of(error: BaseException | None, handled: BaseException | None) -> int | None:
    """The exit code of a child of ``multiprocessing`` that ends with this exception.

    What it raised is told: its parent hears of it, and no hook of ``sys`` does.

    Args:
        error: What is being handled when its target has ended: what that raised, or nothing.
        handled: What was being handled before, such as by who forked the child.

    Returns:
        None where that cannot be told apart.
    """
    if error is None:
        return 0
    if error is handled:
        return None
    if not isinstance(error, SystemExit):
        tell(error)
        return 1
    code = 0 if error.code is None else error.code if isinstance(error.code, int) else 1
    # torch.multiprocessing.spawn writes what it caught into a file, and exits.
    if code != 0 and error.__context__ is not None and error.__context__ is not handled:
        tell(error.__context__)
    return code


def tell(error: BaseException) -> None:
    """Records an exception that ends the process, unless it was told before."""
    with suppress(Exception):
        _tell(text_of(error) + _interrupted_at(error))


def _interrupted_at(error: BaseException) -> str:
    """The innermost line of the program that an interrupt reached, as a traceback spells it.

    Returns "" for other exceptions. Prefers files of the program to those of Python and packages.
    """
    if not isinstance(error, KeyboardInterrupt):
        return ""
    inner = own = None
    trace = error.__traceback__
    while trace is not None:
        inner = trace
        path = trace.tb_frame.f_code.co_filename
        if not path.startswith((_STANDARD_LIBRARY, "<frozen ")) and "-packages/" not in path:
            own = trace
        trace = trace.tb_next
    at = own or inner
    if at is None:
        return ""
    code = at.tb_frame.f_code
    function = getattr(code, "co_qualname", code.co_name)
    # The recorder cuts a text; the path keeps its end.
    path = code.co_filename[-_MOST_PATH_CHARACTERS:]
    return f'\n  File "{path}", line {at.tb_lineno}, in {function[:_MOST_NAME_CHARACTERS]}'


def text_of(error: BaseException) -> str:
    """Its type and message, as the last line of a traceback has them."""
    kind = type(error)
    name = kind.__qualname__
    if kind.__module__ not in ("builtins", "__main__"):
        name = f"{kind.__module__}.{name}"
    plain = [value for value in error.args if type(value) in _PLAIN]
    if kind.__str__ in _PLAIN_TEXT and len(plain) == len(error.args):
        message = str(error)
    else:
        message = ", ".join(str(value)[:_MOST_CHARACTERS] for value in plain)
    message = message[:_MOST_CHARACTERS].strip()
    return f"{name}: {message}" if message else name


def _ending_process(previous: Callable[..., Any]) -> Callable[..., Any]:
    def excepthook(
        kind: type[BaseException], error: BaseException, trace: TracebackType | None
    ) -> Any:
        try:
            tell(error)
        finally:
            previous(kind, error, trace)

    return excepthook


def _ending_thread(previous: Callable[..., Any]) -> Callable[..., Any]:
    def excepthook(args: threading.ExceptHookArgs) -> Any:
        try:
            _tell_of_thread(args)
        finally:
            previous(args)

    return excepthook


def _tell_of_thread(args: threading.ExceptHookArgs) -> None:
    if args.exc_value is None or args.exc_type is SystemExit:  # which ends a thread in order
        return
    with suppress(Exception):
        name = args.thread.name if args.thread else "?"
        _record(f"{name[:100]}: {text_of(args.exc_value)}", ends_process=False)


def _tell_late() -> None:
    """Tells what no hook of ours was told.

    A hook that replaced ours leaves what the interpreter itself remembers; a program that caught
    what torch's ``@record`` saw leaves the error file of its launcher.
    """
    with suppress(Exception):
        error = getattr(sys, "last_value", None)
        if not _told and isinstance(error, BaseException):
            tell(error)
        if not _told:
            _tell(_text_of_error_file(os.environ.get("TORCHELASTIC_ERROR_FILE", "")))


def _text_of_error_file(path: str) -> str:
    """What torchelastic's error file says; "" if there is none of this process's."""
    if not os.path.isfile(path) or os.path.getmtime(path) < (_installed_at or 0) - 1:
        return ""
    with open(path, "rb") as file:
        content = file.read(_MOST_FILE_BYTES)
    message = json.loads(content)["message"]
    if isinstance(message, dict):
        message = message["message"]
    return str(message)[:_MOST_CHARACTERS]


def _tell(text: str) -> None:
    global _told
    if text and text != _told:
        _told = text
        _record(text, ends_process=True)


def _record(text: str, ends_process: bool) -> None:
    extension = sys.modules.get("traced._C")
    if extension is not None:
        clean = text.encode("utf-8", "replace").decode()
        extension.uncaught_exception(clean, ends_process)
