"""Answers to letters as programs write them: Gmail, Outlook and a telephone, in English and Dutch."""

from __future__ import annotations

from email.message import EmailMessage
from email.utils import make_msgid, parseaddr
from html import escape

from tests.newcomers import adapter

WROTE = {
    "en": "On Mon, 2 Mar 2026 at 13:05, Alexandros <{address}> wrote:",
    "nl": "Op ma 2 mrt 2026 om 13:05 schreef Alexandros <{address}>:",
}
HEADS = {
    "en": ("From", "Sent", "To", "Subject", "Monday, March 2, 2026 1:05 PM"),
    "nl": ("Van", "Verzonden", "Aan", "Onderwerp", "maandag 2 maart 2026 13:05"),
}
SENT = {"en": "Sent from my iPhone", "nl": "Verstuurd vanaf mijn iPhone"}
PROGRAMS = ("gmail", "gmail below", "outlook", "telephone", "plain", "html only")


def quoted(text: str, mark: str = "> ") -> str:
    return "\n".join((mark + line).rstrip() for line in text.splitlines())


def answer(
    mail: EmailMessage, words: str, program: str, tongue: str, who: str = "Anna"
) -> tuple[str, str, bytes]:
    """The sender, the address and the whole of an answer to a letter."""
    address = parseaddr(str(mail["Reply-To"]))[1]
    made = EmailMessage()
    made["From"] = f"{who} <{who.lower()}@example.org>"
    made["To"] = address
    made["Subject"] = f"{'Re' if tongue == 'en' else 'Antw'}: {mail['Subject']}"
    made["Message-ID"] = make_msgid(domain="example.org")
    made["In-Reply-To"] = str(mail["Message-ID"])
    made["References"] = f"{mail['References'] or ''} {mail['Message-ID']}".strip()
    made["Date"] = "Mon, 02 Mar 2026 13:30:00 +0000"
    plain, page = _bodies(mail, words, program, tongue, address)
    if program == "html only":
        made.set_content(page, subtype="html")
    else:
        made.set_content(plain)
        if page:
            made.add_alternative(page, subtype="html")
    return (
        f"{who.lower()}@example.org",
        address,
        made.as_bytes().replace(b"\r\n", b"\n").replace(b"\n", b"\r\n"),
    )


def _bodies(mail: EmailMessage, words: str, program: str, tongue: str, address: str) -> tuple[str, str]:
    """The plain part and the HTML; no HTML where the program writes none."""
    letter, inside = adapter.words_of(mail), _inside(adapter.page_of(mail))
    wrote = WROTE[tongue].format(address=address)
    said = "".join(f"<div>{escape(line) or '<br>'}</div>" for line in words.splitlines())
    gmail = (
        f'<div dir="ltr">{said}</div><br><div class="gmail_quote"><div dir="ltr" class="gmail_attr">'
        f'{escape(wrote)}<br></div><blockquote class="gmail_quote" style="margin:0px 0px 0px 0.8ex;'
        f'border-left:1px solid rgb(204,204,204);padding-left:1ex">{inside}</blockquote></div>'
    )
    match program:
        case "gmail" | "html only":
            return f"{words}\n\n{wrote}\n\n{quoted(letter)}\n", gmail
        case "gmail below":
            return f"{wrote}\n\n{quoted(letter)}\n\n{words}\n", ""
        case "outlook":
            sender, sent, to, subject, moment = HEADS[tongue]
            heads = [
                f"{sender}: Alexandros <{address}>", f"{sent}: {moment}", f"{to}: Anna <anna@example.org>",
                f"{subject}: {mail['Subject']}",
            ]  # fmt: skip
            page = (
                f'<html><body><div class="elementToProof">{said}</div><div id="appendonsend"></div>'
                f'<hr style="display:inline-block;width:98%"><div id="divRplyFwdMsg" dir="ltr">'
                f"{'<br>'.join(f'<b>{escape(one)}</b>' for one in heads)}</div>"
                f"<div>{inside}</div></body></html>"
            )
            line = "_" * 32
            return f"{words}\n\n{line}\n" + "\n".join(heads) + f"\n\n{letter}\n", page
        case "telephone":
            return f"{words}\n\n{SENT[tongue]}\n\n> {wrote}\n> \n{quoted(letter)}\n", ""
        case _:
            return f"{words}\n", ""


def _inside(page: str) -> str:
    """What stands in the body of a page."""
    _, _, rest = page.partition("<body")
    return rest.partition(">")[2].partition("</body>")[0]
