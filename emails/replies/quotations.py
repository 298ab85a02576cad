"""Where, in a mail, its writer stops and the letter they answer begins.

Mail programs show it in many ways: a `>` before each line, a line that says who wrote when, the headers of
the old letter, a row of dashes. Whatever looks like one of these ends what was written. It may end too early;
then something is missed, which is better than taking an old line for a command.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from emails.ids import REPLY_MARKERS

QUOTE = re.compile(r">|\.{2,} ?>|\|")
"""How a quoted line begins; the dots come from programs that wrap it again."""
_MARKER = "|".join(re.escape(marker.strip("- ")) for marker in REPLY_MARKERS.values())
_MARKED = re.compile(rf"[>|*_\- ]*(?:{_MARKER})[*_\- ]*", re.IGNORECASE)

_WROTE = (
    r"wrote|writes|schreef|geschreven|schrieb|geschrieben|a écrit|écrit|escribió|ha scritto|scrive|escreveu"
    r"|va escriure|skrev|kirjoitti|napisał|pisze|napsal|napísal|írta|a scris|yazdı|написал|писали|пишет|пише"  # noqa: RUF001
    r"|έγραψε|のメール|のメッセージ|写道|寫道|작성|كتب|كتبت|تمت كتابة|כתב|quoting|citeren|zitat von"
)
ATTRIBUTION = re.compile(rf"(?:^|[\s>\]),、0-9])(?:{_WROTE}).{{0,160}}$", re.IGNORECASE)
"""A line, or two or three joined, that says who wrote: "On 3 Nov 2026 Ben wrote:" in twenty languages."""
_SWALLOWED = re.compile(rf"{_MARKER}|(?:{_WROTE})[^:]{{0,80}}: ?>", re.IGNORECASE)
CLOCK_TIME = re.compile(r"\d{1,2}[:.]\d\d")
"""With an address beside it says so in all others."""
ATTRIBUTION_START = re.compile(
    r"(?:on|op|am|le|el|il|em|den|på|dnia|w dniu|dne|dňa|în|pe|ma|di|wo|do|vr|za|zo|mon|tue|wed|thu|fri|sat"
    r"|sun|mo|mi|fr|sa|so|at|στις|вт|пн|ср|чт|пт|сб|вс)\b|\d{1,4}[.\-/年 ]|\S.*@",  # noqa: RUF001
    re.IGNORECASE,
)
"""How such a line begins when it goes on in the next."""
ATTRIBUTION_HINT = re.compile(rf"{CLOCK_TIME.pattern}|\b20\d\d\b|@|(?:^|\s)(?:{_WROTE})\b", re.IGNORECASE)
"""What is in such a line, however it begins."""

COPIED_HEADER = re.compile(
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

DASH_ROW = re.compile(r"[-_=*~]{2,}$|-$|[-_=]{2}.*[-_=]{2}$")
"""A row of dashes, alone or around words such as "Original Message"; the mark of a signature is one too."""

SIGNATURE_MARK = "--"
"""The mark of a signature, as it is read: blanks at its end are gone."""
POSTSCRIPT = re.compile(r"^\W*(?:(?:p\.? ?){1,3}s|n\.? ?b)(?:\W+|$)", re.IGNORECASE)
"""How what somebody adds at the very end begins."""

CLIENT_LINE = re.compile(
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


def is_quoted(line: str) -> bool:
    """Whether a line is marked as quoted."""
    return QUOTE.match(line) is not None


def is_marker(line: str) -> bool:
    """Whether a line is the marker under which nothing counts, whatever a mail program put before it."""
    return _MARKED.fullmatch(line) is not None


def has_swallowed_quotation(line: str) -> bool:
    """Whether a quotation has run into a line."""
    return _SWALLOWED.search(line) is not None


def is_closing_line(line: str) -> bool:
    """Whether a line ends what a person wrote: the rule over a signature, the words of a mail program."""
    return DASH_ROW.match(line) is not None or CLIENT_LINE.match(line) is not None


def count_attribution_lines(lines: Sequence[str], at: int) -> int:
    """How many lines, from this one on, say who wrote what follows: 0 to 3.

    In any language: a line that ends in a colon right above a quotation says so too.
    """
    begins = ATTRIBUTION_START.match(lines[at])
    for count in (1, 2, 3) if begins or ATTRIBUTION_HINT.search(lines[at]) else (1,):
        joined = lines[at : at + count]
        if len(joined) < count or not joined[-1] or is_quoted(joined[-1]):
            return 0
        if not joined[-1].endswith(":"):
            continue
        over = is_above_quoted(lines, at + count)
        if (over and count == 1) or ((over or begins or count == 1) and _is_attribution(" ".join(joined))):
            return count
    return 0


def _is_attribution(line: str) -> bool:
    """Whether a line says who wrote and when."""
    return ATTRIBUTION.search(line) is not None or ("@" in line and CLOCK_TIME.search(line) is not None)


def is_above_quoted(lines: Sequence[str], at: int) -> bool:
    """Whether a quoted line comes next from here on."""
    return is_quoted(next(filter(None, lines[at : at + 2]), ""))


def count_introduction_lines(lines: Sequence[str], at: int) -> int:
    """How many lines, from this one on, say who wrote the quoted ones right under them; 0: none."""
    count = count_attribution_lines(lines, at) if lines[at] and not is_quoted(lines[at]) else 0
    return count if count and is_above_quoted(lines, at + count) else 0


def count_client_lines(lines: Sequence[str], at: int) -> int:
    """1 where a mail program has put this line of its own right above quoted ones, else 0."""
    return int(CLIENT_LINE.match(lines[at]) is not None and is_above_quoted(lines, at + 1))


def begins_copied_headers(lines: Sequence[str], at: int) -> bool:
    """Whether the copied headers of an old letter begin here: two within four lines."""
    if not COPIED_HEADER.match(lines[at]):
        return False
    following = [line for line in lines[at + 1 : at + 6] if line]
    return any(COPIED_HEADER.match(line) for line in following[:3])


def split_at_quotation(lines: Sequence[str]) -> tuple[Sequence[str], Sequence[str]]:
    """The lines that stand before the first sign of anything quoted, and those from there on."""
    end = next((at for at in range(len(lines)) if _ends_own_words(lines, at)), len(lines))
    return lines[:end], lines[end:]


def _ends_own_words(lines: Sequence[str], at: int) -> bool:
    """Whether this line is a sign that something quoted begins, or that their own words are over."""
    line = lines[at]
    return bool(line) and (
        is_quoted(line)
        or is_marker(line)
        or is_closing_line(line)
        or count_attribution_lines(lines, at) > 0
        or begins_copied_headers(lines, at)
    )


def lines_below(quoted: Sequence[str]) -> Sequence[str]:
    """The lines that stand between and under quoted ones, up to a signature; for who writes underneath.

    `quoted`: the lines from the first sign of anything quoted on. Only where they carry a `>`: without one
    nothing tells the old letter from the new.
    """
    start = 0
    while start < len(quoted) and not is_quoted(quoted[start]):
        known = not quoted[start] or CLIENT_LINE.match(quoted[start])
        start += 1 if known else count_attribution_lines(quoted, start) or len(quoted)
    rest = list(quoted[start:])
    for first, after in _unquoted_runs(rest):
        if first and _may_be_wrapped_quote(
            rest[first - 1], rest[first], "" if after == len(rest) else rest[after]
        ):
            rest[first:after] = [""] * (after - first)
    return split_at_quotation(["" if is_quoted(line) else line for line in rest])[0]


def _unquoted_runs(lines: Sequence[str]) -> list[tuple[int, int]]:
    """Where each run of lines begins and ends that are neither blank nor quoted."""
    own = [bool(line) and not is_quoted(line) for line in (*lines, "")]
    begins = [at for at, is_own in enumerate(own) if is_own and not (at and own[at - 1])]
    return [(at, own.index(False, at)) for at in begins]


SHORTEST_WRAPPED_QUOTE = 60
"""Characters."""


def _may_be_wrapped_quote(above: str, line: str, below: str) -> bool:
    """Whether a line may be the end of the quoted one above it, which a program has wrapped without a mark.

    Right between quoted lines it always may. A link is not wrapped.
    """
    long = len(f"{above} {line.partition(' ')[0]}") >= SHORTEST_WRAPPED_QUOTE and "://" not in above
    return is_quoted(above) and (long or is_quoted(below))


def cut_at_marker(lines: Sequence[str]) -> list[str]:
    """What stands above our marker, unless that is quoted too.

    Of quoted lines only that they are quoted, and of the lines right above them, by which a program says who
    wrote them or praises itself.
    """
    ends = [at for at, line in enumerate(lines) if is_marker(line) and not is_quoted(line)]
    above = [">" if is_quoted(line) else line for line in lines[: min(ends, default=len(lines))]]
    for kind in (count_introduction_lines, count_client_lines):
        for at in range(len(above)):
            count = kind(above, at)
            above[at : at + count] = [">"] * count
    return above


def cut_signature(lines: Sequence[str]) -> Sequence[str]:
    """What stands above a signature, or what a mail program adds by itself."""
    return lines[: next((at for at, line in enumerate(lines) if line and is_closing_line(line)), len(lines))]


def find_postscripts(lines: Sequence[str]) -> tuple[str, ...]:
    """What somebody adds under their name or signature, as far as no unmarked quotation has begun."""
    if not any(map(POSTSCRIPT.match, lines)):
        return ()
    found: list[str] = []
    for at, line in enumerate(lines):
        if line and _begins_unmarked_quotation(lines, at):
            break
        if POSTSCRIPT.match(line):
            after = next((end for end in range(at, len(lines)) if not lines[end]), len(lines))
            found.append(" ".join(line for line in lines[at:after] if not is_quoted(line)))
    return tuple(found)


def _begins_unmarked_quotation(lines: Sequence[str], at: int) -> bool:
    """Whether a quotation begins here whose lines bear no mark."""
    line = lines[at]
    if is_quoted(line) or line == SIGNATURE_MARK:
        return False
    ends = is_marker(line) or begins_copied_headers(lines, at) or DASH_ROW.match(line) is not None
    return ends or (count_attribution_lines(lines, at) > 0 and not count_introduction_lines(lines, at))
