"""What is written to the log, without what would let its reader act for somebody.

A link or an answer address of a letter is worth as much as the letter, so of each only the beginning is kept,
which tells its kind; so it is with mail addresses. `alexandros serve` writes each line as a JSON object, for
programs; the other commands write plain lines, for people. We write no access log; a web server before us
does (config/watching.md).
"""

from __future__ import annotations

import json
import logging
import re
import sys
import threading
import traceback
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from enum import StrEnum

MARK = "…"
TOKEN_PATH = re.compile(r"/(t|u|c|s|j|n|x|new)/[^\s\"'<>]+")
"""Our pages whose addresses hold a ticket or a code."""
QUERY = re.compile(r"\?[^\s\"'<>?]*=[^\s\"'<>]*")
TOKEN_ADDRESS = re.compile(r"\b(play|new|nieuw|stop|confirm|bounce)\+[^\s@\"'<>]+(?=@)", re.IGNORECASE)
MAIL_ADDRESS = re.compile(r"([\w!#$%&*/=?^`{|}~-])[\w.!#$%&'*+/=?^`{|}~-]*@(?=[\w\[])")
QUOTED = re.compile(r"(b?)(['\"])(?:(?!\2)[^\\]|\\.)*\2", re.DOTALL)
"""What an exception quotes of what it was given."""
OF_CODE = '  File "'
"""How a line begins that names a file of ours."""
FACTS = "facts"
"""The name in a record of the facts that a line consists of."""
OWN_PREFIX = "alexandros."

LogValue = StrEnum | int | float | bool
"""A value that has no place for words."""


def write_masked_logs() -> None:
    """Write what any part of the program logs, masked, on standard error. Twice is once."""
    root = logging.getLogger()
    if not any(isinstance(one, MaskingHandler) for one in root.handlers):
        root.addHandler(MaskingHandler())


def write_json_logs() -> None:
    """From now on write each line as a JSON object, what threads fail at and warnings too; and all events."""
    write_masked_logs()
    for handler in logging.getLogger().handlers:
        if isinstance(handler, MaskingHandler):
            handler.setFormatter(JsonFormatter())
    logging.getLogger(f"{OWN_PREFIX}events").setLevel(logging.INFO)
    logging.captureWarnings(True)
    threading.excepthook = _log_failed_thread


def log_facts(
    log: logging.Logger, level: int, facts: Mapping[str, LogValue | str], error: BaseException | None = None
) -> None:
    """Write a line of facts, with the trace of an `error`."""
    plain = " ".join(f"{name}={value}" for name, value in facts.items())
    log.log(level, "%s %s", log.name.removeprefix(OWN_PREFIX), plain, exc_info=error, extra={FACTS: facts})


class MaskingHandler(logging.Handler):
    """Writes each record with its traceback, masked, to what is standard error then."""

    def __init__(self) -> None:
        super().__init__()
        self.setFormatter(PlainFormatter())

    def emit(self, record: logging.LogRecord) -> None:
        """Write a record; one that cannot be written is no reason to stop."""
        try:
            sys.stderr.write(self.format(record) + "\n")
            sys.stderr.flush()
        except Exception:
            self.handleError(record)


class PlainFormatter(logging.Formatter):
    """A line for people, masked."""

    def format(self, record: logging.LogRecord) -> str:
        """The message, and the traceback below it."""
        return mask_message(super().format(record))


class JsonFormatter(logging.Formatter):
    """A line for programs: one JSON object in ASCII, masked."""

    def format(self, record: logging.LogRecord) -> str:
        """When, how bad, whose line it is, and then its facts or its message; last what has failed."""
        line: dict[str, object] = {
            "at": f"{datetime.fromtimestamp(record.created, UTC):%Y-%m-%dT%H:%M:%S.%f}"[:-3] + "Z",
            "level": record.levelname.lower(),
            "log": record.name.removeprefix(OWN_PREFIX),
        }
        facts: Mapping[str, LogValue | str] | None = getattr(record, FACTS, None)
        line |= {"message": mask_message(record.getMessage())} if facts is None else facts
        error = record.exc_info[1] if record.exc_info else None
        if error is not None:
            line["trace"] = "\n".join(_describe_chain(error))
        return json.dumps(line, separators=(",", ":"))


def mask_message(text: str) -> str:
    """A text without the tokens in addresses of pages and of mail, and without what was asked of a page."""
    return "\n".join(line if line.startswith(OF_CODE) else _mask_line(line) for line in text.split("\n"))


def _mask_line(line: str) -> str:
    line = TOKEN_ADDRESS.sub(rf"\1+{MARK}", line)
    line = TOKEN_PATH.sub(rf"/\1/{MARK}", line)
    line = MAIL_ADDRESS.sub(rf"\1{MARK}@", line)
    return QUERY.sub(f"?{MARK}", line)


def _describe_chain(error: BaseException) -> Iterator[str]:
    """An exception and those that led to it, the first first: where, and what, without what it quotes."""
    before = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    if before is not None:
        yield from _describe_chain(before)
    yield from (line.rstrip() for line in traceback.format_tb(error.__traceback__))
    said = QUOTED.sub(rf"\1\2{MARK}\2", str(error))
    yield mask_message(f"{type(error).__name__}: {said}".removesuffix(": "))


def _log_failed_thread(failed: threading.ExceptHookArgs) -> None:
    """Write down what ended a thread, which Python itself would write unmasked."""
    if failed.exc_value is not None and failed.exc_type is not SystemExit:
        known = (failed.exc_type, failed.exc_value, failed.exc_traceback)
        name = failed.thread.name if failed.thread else "unknown"
        logging.getLogger(__name__).error("the thread %s has ended", name, exc_info=known)
