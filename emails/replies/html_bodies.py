"""The words of a mail that came as HTML only, with the letter it answers taken out.

Mail programs wrap what they quote in containers that are known by name. Each is replaced by a line that
begins with `>`, as in a mail of plain text, so that the same eyes can read both.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from inscriptis import Inscriptis
from lxml import etree, html

MOST_HTML = 256 * 1024
MOST_ELEMENTS = 3000
"""The many thousandth paragraph is no reply, and drawing it takes time."""

QUOTED: Final = etree.XPath(
    "//blockquote | //*[@name='quote']"
    " | //*[contains(@class, 'gmail_quote') or contains(@class, 'gmail_extra')"
    " or contains(@class, 'yahoo_quoted') or contains(@class, 'protonmail_quote')"
    " or contains(@class, 'tutanota_quote') or contains(@class, 'zmail_extra')"
    " or contains(@class, 'moz-forward-container') or contains(@class, 'ms-outlook-mobile-reference-message')"
    " or @id='mail-editor-reference-message-container' or @id='OLK_SRC_BODY_SECTION']"
)
"""What holds a quotation and nothing else."""
ATTRIBUTION: Final = etree.XPath(
    "//*[contains(@class, 'gmail_attr') or contains(@class, 'moz-cite-prefix') or @id='reply-intro']"
)
"""What holds the line that names who is quoted."""
SIGNATURE: Final = etree.XPath(
    "//*[contains(@class, 'gmail_signature') or contains(@class, 'moz-signature')"
    " or contains(@class, 'protonmail_signature_block') or @id='Signature'"
    " or @id='ms-outlook-mobile-signature' or @id='AppleMailSignature']"
)
QUOTED_FROM_HERE: Final = etree.XPath(
    "//*[@id='divRplyFwdMsg' or @id='appendonsend' or @id='stopSpelling'"
    " or contains(@class, 'OutlookMessageHeader')]"
    " | //div[contains(@style, 'border-top:solid #E1E1E1') or contains(@style, 'border-top:solid #B5C4DF')]"
)
"""From here on to the end all is quoted: Outlook's ways."""
UNSHOWN: Final = etree.XPath(
    "//head | //script | //style | //title | //comment() | //template | //textarea | //select | //object"
)
STYLED: Final = etree.XPath("//*[@style or @hidden]")
STRUCK: Final = etree.XPath("//s | //strike | //del")
HIDING_STYLE = re.compile(r"display:none|visibility:hidden|font-size:0(?:px|pt|em|%)?(?:;|$)|mso-hide:all")
STRIKING_STYLE = re.compile(r"text-decoration(?:-line)?:[^;]*line-through")

STRUCK_OUT = "~~"
"""Put around words that are struck out: no order has it, so that nobody takes them for one."""
SURROGATE = re.compile("[\x00\ud800-\udfff]")


def extract_text(markup: str) -> tuple[str, str]:
    """The text of a page without what it quotes, and the page whole again as well-formed HTML.

    The second is for another reader, which looks for quotations in its own way. Never raises: what cannot be
    read is empty.
    """
    data = SURROGATE.sub(" ", markup[:MOST_HTML]).encode()
    try:
        page = html.document_fromstring(data, parser=html.HTMLParser(encoding="utf-8", remove_pis=True))
        _remove_unshown(page)
        well_formed = html.tostring(page, encoding="unicode")
        _remove_quotations(page)
        text: str = Inscriptis(page).get_text()
    except (etree.LxmlError, ValueError, RecursionError, LookupError, AttributeError, TypeError):
        return "", ""
    return text, well_formed


def _remove_unshown(page: html.HtmlElement) -> None:
    for element in _elements(UNSHOWN, page):
        _remove(element)
    for element in _elements(STRUCK, page):
        _strike(element)
    for element in _elements(STYLED, page):
        style = "".join(element.get("style", "").lower().split())
        if element.get("hidden") is not None or HIDING_STYLE.search(style):
            _remove(element)
        elif STRIKING_STYLE.search(style):
            _strike(element)
    elements = list(page.iter())
    for element in reversed(elements[MOST_ELEMENTS:]):
        _remove(element)


def _remove_quotations(page: html.HtmlElement) -> None:
    for element in _elements(QUOTED_FROM_HERE, page):
        _remove_from_here(element, page)
    for element in _elements(SIGNATURE, page):
        _remove(element)
    for kind in (ATTRIBUTION, QUOTED):
        for element in _elements(kind, page):
            _reduce_to_mark(element)


def _elements(wanted: etree.XPath, page: html.HtmlElement) -> Iterator[html.HtmlElement]:
    found = wanted(page)
    if isinstance(found, list):
        yield from (one for one in found if isinstance(one, html.HtmlElement | html.HtmlComment))


def _remove(element: html.HtmlElement) -> None:
    if element.getparent() is not None:
        element.drop_tree()


def _strike(element: html.HtmlElement) -> None:
    element.text = f"{STRUCK_OUT}{element.text or ''}"
    element.tail = f"{STRUCK_OUT}{element.tail or ''}"


def _remove_from_here(element: html.HtmlElement, page: html.HtmlElement) -> None:
    """Take out an element and everything that stands after it."""
    here: html.HtmlElement | None = element
    while here is not None and here is not page:
        for later in list(here.itersiblings()):
            _remove(later)
        here.tail = None
        here = here.getparent()
    _reduce_to_mark(element)


def _reduce_to_mark(element: html.HtmlElement) -> None:
    """Leave only a `>` of a quotation."""
    tail = element.tail
    element.clear()
    element.tag = "div"
    element.text = ">"
    element.tail = tail
