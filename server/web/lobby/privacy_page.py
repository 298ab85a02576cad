"""What is kept of people, in their own words, from the table by which it is deleted."""

from __future__ import annotations

from dataclasses import dataclass

from flask import Blueprint, render_template

from emails.i18n import gettext
from server.mail_addresses import contact_address
from server.privacy.erasure import WHAT_STAYS
from server.privacy.retention import RETENTION, RetentionRule
from server.web.kit.request_context import current_context

pages = Blueprint("privacy_page", __name__)


@dataclass(frozen=True, slots=True)
class RetentionEntry:
    """One row of the table, in the language spoken."""

    what: str
    why: str
    until: str


@pages.get("/privacy")
def show_privacy() -> str:
    """What is kept, why, how long, who can read it, and what can be asked for."""
    return render_template(
        "privacy.html",
        kept=[_describe(rule) for rule in RETENTION],
        stays=[gettext(one) for one in WHAT_STAYS],
        operator=contact_address(current_context().settings),
    )


def _describe(rule: RetentionRule) -> RetentionEntry:
    days = "" if rule.period is None else rule.period.days
    return RetentionEntry(gettext(rule.what), gettext(rule.why), gettext(rule.until, days=days))
