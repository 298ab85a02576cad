"""What the reader of a letter and of a page has before them: links, addresses and forms."""

import re
from collections.abc import Iterator
from email.message import EmailMessage
from urllib.parse import unquote

from tests.server.web.site import Visitor

HOST = "http://127.0.0.1:8000"
DOMAIN = "play.example.org"


def written_in(mail: EmailMessage) -> str:
    parts = [part.get_content() for part in mail.walk() if part.get_content_maintype() == "text"]
    return "\n".join([*(f"{name}: {value}" for name, value in mail.items()), *map(str, parts)])


def links_in(mail: EmailMessage) -> list[str]:
    found = re.findall(rf'{HOST}(/[^\s"<>#]+)', written_in(mail).replace("&amp;", "&"))
    return list(dict.fromkeys(one.rstrip(".,)") for one in found))


def addresses_in(mail: EmailMessage) -> list[str]:
    return list(dict.fromkeys(re.findall(rf"[a-z]+\+[\w.-]+@{DOMAIN}", unquote(written_in(mail)))))


def ticket_in(mail: EmailMessage) -> str:
    """The link to the seat, without words."""
    settings = [link for link in links_in(mail) if link.endswith("/settings")]
    plain = [link for link in links_in(mail) if re.fullmatch(r"/t/\w+", link)]
    return settings[0].removesuffix("/settings") if settings else plain[0]


def act_in(mail: EmailMessage) -> str:
    return max((link for link in links_in(mail) if re.fullmatch(r"/t/\w+", link)), key=len)


def sealed(address_or_link: str) -> str:
    if "@" in address_or_link:
        return address_or_link.partition("@")[0].partition("+")[2]
    return address_or_link.split("/")[2].partition("?")[0]


def shows_seat(visitor: Visitor) -> bool:
    """Whether a page shows what is one player's: their cards, their address, or buttons of their seat."""
    forms = ("/say", "/ask", "/settings", "/leave", "/rematch")
    acting = visitor.page.xpath("//form[@method='post']/@action")
    here = any(str(one).split("?")[0].endswith(forms) for one in acting)
    return "Your hand" in visitor.text or here or "Do it" in visitor.text


def acts_alone(visitor: Visitor) -> bool:
    """Whether a page has something by which it is sent without a hand."""
    scripts = " ".join(str(one) for one in visitor.page.xpath("//script/@src"))
    return "at-once" in scripts or bool(visitor.page.xpath("//form[@id='at-once'] | //meta[@http-equiv]"))


def cookies_of(visitor: Visitor) -> dict[str, str]:
    return {one.key: one.value for one in visitor.client._cookies.values()}


def forms_of(visitor: Visitor) -> list[tuple[str, dict[str, str | list[str]]]]:
    """All forms that post: where to, and what they would send untouched."""
    found = []
    for number, form in enumerate(visitor.page.xpath("//form")):
        if str(form.get("method")).lower() == "post":
            _, action, fields = visitor.form(f"(//form)[{number + 1}]")
            found.append((action, fields))
    return found


def button(visitor: Visitor, words: str) -> str:
    found = f"//form[.//button[contains(normalize-space(.), '{words}')]]"
    assert visitor.page.xpath(found), f"no button “{words}” on the page “{visitor.title}”"
    return found


def press(visitor: Visitor, words: str, **changes: str) -> Visitor:
    where = button(visitor, words)
    held = visitor.page.xpath(f"{where}//button[contains(normalize-space(.), '{words}')]")[0]
    own = {str(held.get("name")): str(held.get("value"))} if held.get("name") else {}
    return visitor.send(where, **(own | changes))


def damaged(one: str, other: str) -> Iterator[str]:
    """What a clumsy or a clever hand makes of two tokens: cut ones, and joined ones."""
    for size in (1, 7, 16, len(one) // 2):
        yield one[:-size]
        yield one[size:]
        yield one[:-size] + other[-size:]
        yield other[:size] + one[size:]
    yield from (one + other, one * 2, one + "a", f"{one}.{other}", f"{one}+{other}", one[::-1])
