"""What stands under mails that nobody wrote for this one: device lines, legal footers, signatures."""

from __future__ import annotations

import re

from emails.languages.programs import read_signs
from emails.replies import quotations
from emails.replies.remarks.remark_words import remark_words

LONGEST_DEVICE_LINE = 16
"""Words."""
SHORTEST_LEGAL_LINE = 25
"""Characters."""
CONTACT = re.compile(
    r"(?:https?://|www\.|mailto:)\S+|\S+@\S+\.\w+|\S+\.(?:com|org|net|nl|de|be|eu|fr|uk|example)\b\S*"
    r"|\+?\d[\d\s()/.-]{6,}\d|(?<!['\u2019\w])(?:tel|fax|mob|t|m|e|w|p)\s?[.:]",
    re.IGNORECASE,
)
"""By what a line of a signature says how its writer is reached."""
ATTACHMENT = re.compile(r"\W*[\w.-]{1,40}\.(?:png|jpe?g|gif|svg|pdf|html?|txt|ics|vcf|asc)\W*", re.IGNORECASE)
"""The name of a file, as programs write it where they leave it out."""
LETTERHEAD_JOINERS = frozenset(
    "of the and for at van de der den het en voor bij von und für et du la le y".split()
)
MOST_LETTERHEAD_WORDS = 9
MOST_PHONE_WORDS = 5
"""In a line by which a telephone signs in a language that has no folder here."""
SENSITIVITY_CODE = re.compile(r"[a-z]?\d")
"""A level of secrecy, as companies number them."""
LONGEST_ACRONYM = 3


def is_device_line(line: str) -> bool:
    """Whether a mail program or a machine has put this line there."""
    words = re.findall(r"\w+", line.casefold())
    if len(words) > LONGEST_DEVICE_LINE:
        return False
    signs = read_signs()
    stems = (*signs.devices, *signs.phones) if len(words) <= MOST_PHONE_WORDS else signs.devices
    return quotations.own_line_pattern().match(line) is not None or any(
        word.startswith(stem) for word in words for stem in stems
    )


def words_of_device_line(line: str) -> str:
    """What a device line says beside the words by which it is known."""
    return CONTACT.sub(" ", quotations.own_line_pattern().sub(" ", line, count=1))


def is_attachment(line: str) -> bool:
    """Whether a line is the name of a file and nothing else."""
    return ATTACHMENT.fullmatch(line) is not None


def is_sensitivity_label(line: str) -> bool:
    """Whether a line is the label of a level of secrecy: "Sensitivity: Internal"."""
    key, colon, level = line.casefold().partition(":")
    words = re.findall(r"[^\W_]+", level)
    return bool(colon and words) and any(
        key.strip(" [(*") in own.sensitivity
        and all(word in own.levels or SENSITIVITY_CODE.fullmatch(word) for word in words)
        for own in remark_words()
    )


def is_legal_line(line: str) -> bool:
    """Whether a line stands in what companies put under their mails."""
    folded = line.casefold()
    if len(line) < SHORTEST_LEGAL_LINE or not any(own.legal.search(folded) for own in remark_words()):
        return False
    words = set(re.findall(r"\w+", folded))
    return not any(words & own.persons for own in remark_words())  # who speaks of themselves says more


def without_contacts(line: str) -> str:
    """A line without addresses and numbers by which its writer is reached."""
    return CONTACT.sub(" ", line)


def is_contact_line(line: str) -> bool:
    """Whether a line says how its writer is reached, and nothing else that is a sentence."""
    rest = without_contacts(line)
    return rest != line and is_letterhead(rest)


def is_letterhead(line: str) -> bool:
    """Whether a line looks as names, titles, companies and towns do: each word with a capital."""
    words = re.findall(r"[^\W_]+", line)
    loud = any(word.isupper() and len(word) > LONGEST_ACRONYM for word in words)
    if loud or len(words) > MOST_LETTERHEAD_WORDS:
        return False
    return all(word[0].isupper() or word.isdigit() or word in LETTERHEAD_JOINERS for word in words)
