"""Mails in which servers say what became of a letter, each in the form of a program: returned/*.eml."""

import re
from collections.abc import Callable
from pathlib import Path

FOLDER = Path(__file__).parent / "returned"


def _form(name: str) -> Callable[..., str]:
    """What writes the report of a program, with what stands in braces in its file."""
    text = (FOLDER / f"{name}.eml").read_text("utf-8")

    def write(to: str, back: str, id: str, answer: str, action: str = "failed", status: str = "5.1.1") -> str:
        given = {"to": to, "back": back, "id": id, "answer": answer, "action": action, "status": status}
        return re.sub(r"\{(\w+)\}", lambda found: given[found[1]], text)

    write.__name__ = name
    return write


FORMS = tuple(map(_form, "postfix exim old_exim qmail exchange gmail sendmail ses".split()))
"""`old_exim` and `qmail` write for people alone, without a report for machines."""
postfix = FORMS[0]
