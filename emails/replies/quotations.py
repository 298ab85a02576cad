"""Where, in a mail, its writer stops and the letter he answers begins.

Mail programs show it in many ways: a `>` before each line, a line that says who wrote when, the headers of
the old letter, a row of dashes. Whatever looks like one of these ends what was written. It may end too early;
then something is missed, which is better than taking an old line for a command.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from emails.ids import MARKERS

QUOTE = re.compile(r">|\.{2,} ?>|\|")
"""How a quoted line begins; the dots come from programs that wrap it again."""
_MARKER = "|".join(re.escape(marker.strip("- ")) for marker in MARKERS.values())
_MARKED = re.compile(rf"[>|*_\- ]*(?:{_MARKER})[*_\- ]*", re.IGNORECASE)

_WROTE = (
    r"wrote|writes|schreef|geschreven|schrieb|geschrieben|a écrit|écrit|escribió|ha scritto|scrive|escreveu"
    r"|va escriure|skrev|kirjoitti|napisał|pisze|napsal|napísal|írta|a scris|yazdı|написал|писали|пишет|пише"  # noqa: RUF001
    r"|έγραψε|のメール|のメッセージ|写道|寫道|작성|كتب|كتبت|تمت كتابة|כתב|quoting|citeren|zitat von"
)
ATTRIBUTION = re.compile(rf"(?:^|[\s>\]),、0-9])(?:{_WROTE}).{{0,160}}$", re.IGNORECASE)
"""A line, or two or three joined, that says who wrote: "On 3 Nov 2026 Ben wrote:" in twenty languages."""
_SWALLOWED = re.compile(rf"{_MARKER}|(?:{_WROTE})[^:]{{0,80}}: ?>", re.IGNORECASE)
TIME = re.compile(r"\d{1,2}[:.]\d\d")
"""With an address beside it says so in all others."""
BEGINS = re.compile(
    r"(?:on|op|am|le|el|il|em|den|på|dnia|w dniu|dne|dňa|în|pe|ma|di|wo|do|vr|za|zo|mon|tue|wed|thu|fri|sat"
    r"|sun|mo|mi|fr|sa|so|at|στις|вт|пн|ср|чт|пт|сб|вс)\b|\d{1,4}[.\-/年 ]|\S.*@",  # noqa: RUF001
    re.IGNORECASE,
)
"""How such a line begins when it goes on in the next."""
WRAPPED = re.compile(rf"{TIME.pattern}|\b20\d\d\b|@|(?:^|\s)(?:{_WROTE})\b", re.IGNORECASE)
"""What is in such a line, however it begins."""

HEADER = re.compile(
    r"[*_]{0,2}(?:from|sent|to|subject|date|cc|reply-to|van|verzonden|aan|onderwerp|datum|von|gesendet|an|betreff"
    r"|de|envoyé(?: le)?|à|objet|enviado(?: el| em)?|para|asunto|fecha|assunto|data|da|inviato|a|oggetto"
    r"|från|skickat|till|ämne|fra|sendt|til|emne|dato|od|wysłano|do|temat|lähettäjä|lähetetty|vastaanottaja|aihe"
    r"|от|отправлено|дата|кому|тема|发件人|发送时间|收件人|主题|寄件者|收件者|主旨|差出人|送信日時|宛先|件名"
    r"|kimden|gönderildi|gönderme tarihi|kime|konu|από|στάλθηκε|ημερομηνία|προς|θέμα|מאת|נשלח|תאריך|אל|נושא"
    r"|من|تم الإرسال|تاريخ|إلى|الموضوع|보낸 사람|보낸 날짜|받는 사람|제목)"
    r" ?:[*_]{0,2}(?: .*)?$",
    re.IGNORECASE,
)
"""One line of the headers that Outlook and others copy above the old letter; two of them make a block."""

RULE = re.compile(r"[-_=*~]{2,}$|-$|[-_=]{2}.*[-_=]{2}$")
"""A row of dashes, alone or around words such as "Original Message"; the mark of a signature is one too."""

SIGNED = "--"
"""The mark of a signature, as it is read: blanks at its end are gone."""
POSTSCRIPT = re.compile(r"^\W*(?:(?:p\.? ?){1,3}s|n\.? ?b)(?:\W+|$)", re.IGNORECASE)
"""How what somebody adds at the very end begins."""

CLIENT = re.compile(
    r"sent (?:from|via|with|using) |get outlook for |get \w+ mail |verstuurd (?:vanaf|met|vanuit|via) "
    r"|verzonden (?:vanaf|met|vanuit|via) |(?:download |haal )?outlook (?:voor|für|pour|para|per|for) "
    r"|von mein\w* .*gesendet|gesendet (?:von|mit|über|aus) |diese nachricht wurde von mein"
    r"|envoyé (?:de|depuis|avec|à partir) |télécharger outlook|obt(?:enir|enha|én|ener) (?:o )?outlook"
    r"|enviad[oa] (?:desde|do|de|a partir|com|con) |scarica outlook|inviato (?:da|con) |hämta outlook"
    r"|skickat från |sendt fra |wysłan[eo] z |lähetetty |odesláno z |отправлено (?:с|из) "  # noqa: RUF001
    r"|发自我的|從我的|iphoneから送信|ipadから送信|iphone\S* gönderildi|ipad\S* gönderildi|στάλθηκε από "
    r"|נשלח מה"
    r"|أُرسلت من|pobierz |outlook .{1,30}(?:beziehen|downloaden)$|secured with |gesichert mit |yahoo mail[: ]"
    r"|virus-free|virusvrij|virenfrei|dit e-mailbericht is gecontroleerd",
    re.IGNORECASE,
)
"""What mail programs add below by themselves: "Sent from my telephone"."""


def quoted(line: str) -> bool:
    """Whether a line is marked as quoted."""
    return QUOTE.match(line) is not None


def marked(line: str) -> bool:
    """Whether a line is the marker under which nothing counts, whatever a mail program put before it."""
    return _MARKED.fullmatch(line) is not None


def swallows(line: str) -> bool:
    """Whether a quotation has run into a line."""
    return _SWALLOWED.search(line) is not None


def closed(line: str) -> bool:
    """Whether a line ends what a person wrote: the rule over a signature, the words of a mail program."""
    return RULE.match(line) is not None or CLIENT.match(line) is not None


def attribution(lines: Sequence[str], at: int) -> int:
    """How many lines, from this one on, say who wrote what follows: 0 to 3.

    In any language: a line that ends in a colon right above a quotation says so too.
    """
    begins = BEGINS.match(lines[at])
    for count in (1, 2, 3) if begins or WRAPPED.search(lines[at]) else (1,):
        joined = lines[at : at + count]
        if len(joined) < count or not joined[-1] or quoted(joined[-1]):
            return 0
        if not joined[-1].endswith(":"):
            continue
        over = over_quoted(lines, at + count)
        if (over and count == 1) or ((over or begins or count == 1) and _wrote(" ".join(joined))):
            return count
    return 0


def _wrote(line: str) -> bool:
    """Whether a line says who wrote and when."""
    return ATTRIBUTION.search(line) is not None or ("@" in line and TIME.search(line) is not None)


def over_quoted(lines: Sequence[str], at: int) -> bool:
    """Whether a quoted line comes next from here on."""
    return quoted(next(filter(None, lines[at : at + 2]), ""))


def introduction(lines: Sequence[str], at: int) -> int:
    """How many lines, from this one on, say who wrote the quoted ones right under them; 0: none."""
    count = attribution(lines, at) if lines[at] and not quoted(lines[at]) else 0
    return count if count and over_quoted(lines, at + count) else 0


def praise(lines: Sequence[str], at: int) -> int:
    """1 where a mail program has put this line of its own right above quoted ones, else 0."""
    return int(CLIENT.match(lines[at]) is not None and over_quoted(lines, at + 1))


def headed(lines: Sequence[str], at: int) -> bool:
    """Whether the copied headers of an old letter begin here: two within four lines."""
    if not HEADER.match(lines[at]):
        return False
    following = [line for line in lines[at + 1 : at + 6] if line]
    return any(HEADER.match(line) for line in following[:3])


def written(lines: Sequence[str]) -> tuple[str, ...]:
    """The lines that stand before the first sign of anything quoted."""
    return tuple(lines[: _end(lines)])


def below(lines: Sequence[str]) -> tuple[str, ...]:
    """The lines that stand between and under quoted ones, up to a signature; for who writes underneath.

    Only where the quoted lines carry a `>`: without one nothing tells the old letter from the new.
    """
    start = _end(lines)
    while start < len(lines) and not quoted(lines[start]):
        known = not lines[start] or CLIENT.match(lines[start])
        start += 1 if known else attribution(lines, start) or len(lines)
    if start >= len(lines):
        return ()
    rest = list(lines[start:])
    for first, after in _unquoted(rest):
        if first and _torn(rest[first - 1], rest[first], "" if after == len(rest) else rest[after]):
            rest[first:after] = [""] * (after - first)
    rest = ["" if quoted(line) else line for line in rest]
    return tuple(rest[: _end(rest)])


def _unquoted(lines: Sequence[str]) -> list[tuple[int, int]]:
    """Where each run of lines begins and ends that are neither blank nor quoted."""
    own = [bool(line) and not quoted(line) for line in (*lines, "")]
    begins = [at for at, is_own in enumerate(own) if is_own and not (at and own[at - 1])]
    return [(at, own.index(False, at)) for at in begins]


SHORTEST_TORN = 60
"""Characters."""


def _torn(above: str, line: str, below: str) -> bool:
    """Whether a line may be the end of the quoted one above it, which a program has wrapped without a mark.

    Right between quoted lines it always may. A link is not wrapped.
    """
    long = len(f"{above} {line.partition(' ')[0]}") >= SHORTEST_TORN and "://" not in above
    return quoted(above) and (long or quoted(below))


def postscripts(lines: Sequence[str]) -> tuple[str, ...]:
    """What somebody adds under his name or signature, as far as no unmarked quotation has begun."""
    found: list[str] = []
    for at, line in enumerate(lines):
        if line and _unmarked(lines, at):
            break
        if POSTSCRIPT.match(line):
            after = next((end for end in range(at, len(lines)) if not lines[end]), len(lines))
            found.append(" ".join(line for line in lines[at:after] if not quoted(line)))
    return tuple(found)


def _unmarked(lines: Sequence[str], at: int) -> bool:
    """Whether a quotation begins here whose lines bear no mark."""
    line = lines[at]
    if quoted(line) or line == SIGNED:
        return False
    ends = marked(line) or headed(lines, at) or RULE.match(line) is not None
    return ends or (attribution(lines, at) > 0 and not introduction(lines, at))


def _end(lines: Sequence[str]) -> int:
    for at, line in enumerate(lines):
        if line and (
            quoted(line) or marked(line) or closed(line) or attribution(lines, at) or headed(lines, at)
        ):
            return at
    return len(lines)
