"""Logging, with tokens and addresses masked.

With the token in a link or reply address of a letter, anyone can act for the player. So a token is masked
except its beginning, which shows the kind of token. Mail addresses are masked too. `alexandros serve` writes
JSON lines, other commands plain lines. There is no access log: a web server in front writes one
(config/watching.md).
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
QUERY = re.compile(r"\?[^\s\"'<>?]*=[^\s\"'<>]*")
TOKEN_ADDRESS = re.compile(r"\b(play|new|nieuw|stop|confirm|bounce)\+[^\s@\"'<>]+(?=@)", re.IGNORECASE)
MAIL_ADDRESS = re.compile(r"([\w!#$%&*/=?^`{|}~-])[\w.!#$%&'*+/=?^`{|}~-]*@(?=[\w\[])")
QUOTED = re.compile(r"(b?)(['\"])(?:(?!\2)[^\\]|\\.)*\2", re.DOTALL)
OF_CODE = '  File "'
"""Beginning of a traceback line that names a source file; such lines are not masked."""
FACTS = "facts"
OWN_PREFIX = "alexandros."

LogValue = StrEnum | int | float | bool
"""A value that cannot hold text from users."""


def write_masked_logs() -> None:
    """Write the masked logs of all modules to standard error; idempotent."""
    root = logging.getLogger()
    if not any(isinstance(one, MaskingHandler) for one in root.handlers):
        root.addHandler(MaskingHandler())


def write_json_logs() -> None:
    """Write all logs, warnings and uncaught errors of threads as JSON lines; enable the event log."""
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
    plain = " ".join(f"{name}={value}" for name, value in facts.items())
    log.log(level, "%s %s", log.name.removeprefix(OWN_PREFIX), plain, exc_info=error, extra={FACTS: facts})


class MaskingHandler(logging.Handler):
    """Writes masked records to the current `sys.stderr`."""

    def __init__(self) -> None:
        super().__init__()
        self.setFormatter(PlainFormatter())

    def emit(self, record: logging.LogRecord) -> None:
        try:
            sys.stderr.write(self.format(record) + "\n")
            sys.stderr.flush()
        except Exception:
            self.handleError(record)


class PlainFormatter(logging.Formatter):
    """Formats a record as masked text for people."""

    def format(self, record: logging.LogRecord) -> str:
        return mask_message(super().format(record))


class JsonFormatter(logging.Formatter):
    """Formats a record as one masked line for programs: a JSON object in ASCII."""

    def format(self, record: logging.LogRecord) -> str:
        """Return time, level and logger, then the event's fields or the message, then any traceback."""
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
    """Mask mail addresses, query strings, and tokens in paths and addresses."""
    return "\n".join(line if line.startswith(OF_CODE) else _mask_line(line) for line in text.split("\n"))


def _mask_line(line: str) -> str:
    line = TOKEN_ADDRESS.sub(rf"\1+{MARK}", line)
    line = TOKEN_PATH.sub(rf"/\1/{MARK}", line)
    line = MAIL_ADDRESS.sub(rf"\1{MARK}@", line)
    return QUERY.sub(f"?{MARK}", line)


def _describe_chain(error: BaseException) -> Iterator[str]:
    """Yield the tracebacks and messages of an exception's causes, then its own; quoted values are masked."""
    before = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    if before is not None:
        yield from _describe_chain(before)
    yield from (line.rstrip() for line in traceback.format_tb(error.__traceback__))
    said = QUOTED.sub(rf"\1\2{MARK}\2", str(error))
    yield mask_message(f"{type(error).__name__}: {said}".removesuffix(": "))


def _log_failed_thread(failed: threading.ExceptHookArgs) -> None:
    """Log the error that ended a thread; Python's default hook would print it unmasked."""
    if failed.exc_value is not None and failed.exc_type is not SystemExit:
        known = (failed.exc_type, failed.exc_value, failed.exc_traceback)
        name = failed.thread.name if failed.thread else "unknown"
        logging.getLogger(__name__).error("the thread %s has ended", name, exc_info=known)
