"""What is written to the log, without what would let its reader act for somebody.

A link or an answer address of a letter is worth as much as the letter, so of each only the beginning is kept,
which tells its kind. We write no access log; a web server before us does (config/README.md).
"""

from __future__ import annotations

import logging
import re
import sys

MARK = "…"
TOKEN_PATH = re.compile(r"/(t|u|c|s|j|n|new)/[^\s\"'<>]+")
"""Our pages whose addresses hold a ticket or a code."""
QUERY = re.compile(r"\?[^\s\"'<>?]*=[^\s\"'<>]*")
TOKEN_ADDRESS = re.compile(r"\b(play|new|nieuw|stop|confirm|bounce)\+[^\s@\"'<>]+(?=@)", re.IGNORECASE)
OF_CODE = '  File "'
"""How a line begins that names a file of ours."""


def write_masked_logs() -> None:
    """Write what any part of the program logs, masked, on standard error. Twice is once."""
    root = logging.getLogger()
    if not any(isinstance(one, MaskingHandler) for one in root.handlers):
        root.addHandler(MaskingHandler())


class MaskingHandler(logging.Handler):
    """Writes each record with its traceback, masked, to what is standard error then."""

    def emit(self, record: logging.LogRecord) -> None:
        """Write a record; one that cannot be written is no reason to stop."""
        try:
            sys.stderr.write(mask_message(self.format(record)) + "\n")
            sys.stderr.flush()
        except Exception:
            self.handleError(record)


def mask_message(text: str) -> str:
    """A text without the tokens in addresses of pages and of mail, and without what was asked of a page."""
    return "\n".join(line if line.startswith(OF_CODE) else _mask_line(line) for line in text.split("\n"))


def _mask_line(line: str) -> str:
    line = TOKEN_ADDRESS.sub(rf"\1+{MARK}", line)
    line = TOKEN_PATH.sub(rf"/\1/{MARK}", line)
    return QUERY.sub(f"?{MARK}", line)
