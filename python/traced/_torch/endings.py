"""Records the uncaught exceptions that end a process or a thread.

The hooks of ``sys`` and ``threading`` are chained: the previous hook runs after ours, with the same
arguments. No code of the program runs: an exception with its own ``__str__`` is recorded as its
type and its plain arguments.
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

# The recorder cuts texts to less.
_MAX_CHARACTERS = 1000
_MAX_FILE_BYTES = 1 << 20
_MAX_PATH_CHARACTERS = 200
_MAX_NAME_CHARACTERS = 80
_STANDARD_LIBRARY = os.path.dirname(os.__file__) + os.sep
# Types whose str() runs no code of the program.
_PLAIN = (str, int, float, bool, bytes, type(None))
_PLAIN_TEXT = {
    kind.__str__ for kind in (BaseException, KeyError, OSError, ImportError, UnicodeError)
}

_installed_at: float | None = None
# The last recorded text: torch's decorator, the interpreter and a launcher may report the same
# exception.
_recorded = ""


def install() -> None:
    """Chains the hooks, once. A forked child inherits them."""
    global _installed_at
    if _installed_at is not None:
        return
    _installed_at = time.time()
    sys.excepthook = _ending_process(getattr(sys, "excepthook", sys.__excepthook__))
    threading.excepthook = _ending_thread(threading.excepthook)
    atexit.register(_record_late)


def exit_code_of(error: BaseException | None, handled: BaseException | None) -> int | None:
    """Returns the exit code of a forked child of ``multiprocessing``, and records its exception.

    No hook of ``sys`` runs for it: multiprocessing catches the exception.

    Args:
        error: The exception that is handled when the child's target has ended; None if it
            returned.
        handled: The exception that was handled before, such as in the parent when it forked.

    Returns:
        The exit code, or None if it is unknown because both are the same exception.
    """
    if error is None:
        return 0
    if error is handled:
        return None
    if not isinstance(error, SystemExit):
        record(error)
        return 1
    code = 0 if error.code is None else error.code if isinstance(error.code, int) else 1
    # torch.multiprocessing.spawn writes the exception to a file and calls exit.
    if code != 0 and error.__context__ is not None and error.__context__ is not handled:
        record(error.__context__)
    return code


def record(error: BaseException) -> None:
    """Records an exception that ends the process, unless it is recorded already."""
    with suppress(Exception):
        _record_end(text_of(error) + _interrupted_at(error))


def _interrupted_at(error: BaseException) -> str:
    """Returns the innermost line of the program in a KeyboardInterrupt, as in a traceback.

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
    # The recorder cuts texts at the end, so shorten the path here and keep its end.
    path = code.co_filename[-_MAX_PATH_CHARACTERS:]
    return f'\n  File "{path}", line {at.tb_lineno}, in {function[:_MAX_NAME_CHARACTERS]}'


def text_of(error: BaseException) -> str:
    """Returns the type and message of an exception, as in the last line of a traceback.

    Runs no code of the program: arguments of its own types are left out of the message.
    """
    kind = type(error)
    name = kind.__qualname__
    if kind.__module__ not in ("builtins", "__main__"):
        name = f"{kind.__module__}.{name}"
    plain = [value for value in error.args if type(value) in _PLAIN]
    if kind.__str__ in _PLAIN_TEXT and len(plain) == len(error.args):
        message = str(error)
    else:
        message = ", ".join(str(value)[:_MAX_CHARACTERS] for value in plain)
    message = message[:_MAX_CHARACTERS].strip()
    return f"{name}: {message}" if message else name


def _ending_process(previous: Callable[..., Any]) -> Callable[..., Any]:
    def excepthook(
        kind: type[BaseException], error: BaseException, trace: TracebackType | None
    ) -> Any:
        try:
            record(error)
        finally:
            previous(kind, error, trace)

    return excepthook


def _ending_thread(previous: Callable[..., Any]) -> Callable[..., Any]:
    def excepthook(args: threading.ExceptHookArgs) -> Any:
        try:
            _record_thread(args)
        finally:
            previous(args)

    return excepthook


def _record_thread(args: threading.ExceptHookArgs) -> None:
    if args.exc_value is None or args.exc_type is SystemExit:  # a normal end of a thread
        return
    with suppress(Exception):
        name = args.thread.name if args.thread else "?"
        _record(f"{name[:100]}: {text_of(args.exc_value)}", ends_process=False)


def _record_late() -> None:
    """Records at exit an exception that reached none of our hooks.

    If another hook replaced ours, ``sys.last_value`` has it. If the program caught an exception
    that torch's ``@record`` reported, the error file of the launcher has it.
    """
    with suppress(Exception):
        error = getattr(sys, "last_value", None)
        if not _recorded and isinstance(error, BaseException):
            record(error)
        if not _recorded:
            _record_end(_text_of_error_file(os.environ.get("TORCHELASTIC_ERROR_FILE", "")))


def _text_of_error_file(path: str) -> str:
    """Returns the message in torchelastic's error file, or "" if this process wrote none."""
    if not os.path.isfile(path) or os.path.getmtime(path) < (_installed_at or 0) - 1:
        return ""
    with open(path, "rb") as file:
        content = file.read(_MAX_FILE_BYTES)
    message = json.loads(content)["message"]
    if isinstance(message, dict):
        message = message["message"]
    return str(message)[:_MAX_CHARACTERS]


def _record_end(text: str) -> None:
    global _recorded
    if text and text != _recorded:
        _recorded = text
        _record(text, ends_process=True)


def _record(text: str, ends_process: bool) -> None:
    extension = sys.modules.get("traced._C")
    if extension is not None:
        clean = text.encode("utf-8", "replace").decode()
        extension.uncaught_exception(clean, ends_process)
