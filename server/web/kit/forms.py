"""Pages with forms: routes that load the object named in the address, check the form, and answer refusals.

The fields of a form are parsed and checked by WTForms, with our error sentences in the language of the page.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from typing import TypeVar

from flask import Blueprint, render_template, request
from flask.typing import ResponseReturnValue
from wtforms import Form, StringField
from wtforms.form import BaseForm
from wtforms.meta import DefaultMeta

from emails.i18n import gettext, gettext_noop, plural_form
from server.store.event_log import Refusal, RefusalCode
from server.web.kit import errors
from server.web.kit.request_context import FORM_EXPIRED, is_csrf_valid

SENTENCES = dict.fromkeys(
    ("Not a valid choice.", "Invalid Choice: could not coerce."), gettext_noop("Please choose one of these.")
)
"""Our sentences for those of WTForms."""
Loaded = TypeVar("Loaded")
View = Callable[[Loaded], ResponseReturnValue]


class FormPages(Blueprint):
    """A blueprint whose views answer forms."""

    def form(
        self,
        path: str,
        load: Callable[..., Loaded],
        show: Callable[[Loaded, str], ResponseReturnValue],
        refused: int = 409,
        methods: Sequence[str] = ("GET", "POST"),
    ) -> Callable[[View[Loaded]], View[Loaded]]:
        """Decorate the view of a form. GET renders the form's page by `show`, and changes nothing.

        `load` gets the variables of the route; its result is the argument of the view and of `show`. If the
        form has no valid CSRF token, or the view raises a `Refusal`, `show` renders the page with a sentence.
        The status is then 400 or `refused`, or 429 if a limit was reached.
        """

        def decorate(view: View[Loaded]) -> View[Loaded]:
            @wraps(view)
            def answer(**address: str) -> ResponseReturnValue:
                loaded = load(**address)
                if request.method != "POST":
                    return show(loaded, "")
                if not is_csrf_valid():
                    return show(loaded, gettext(FORM_EXPIRED)), 400  # type: ignore[return-value]
                try:
                    return view(loaded)
                except Refusal as error:
                    status = 429 if error.code is RefusalCode.BUDGET else refused
                    return show(load(**address), errors.note_refusal(error)), status  # type: ignore[return-value]

            self.add_url_rule(path, view_func=answer, methods=methods)
            return view

        return decorate

    def button(
        self,
        path: str,
        load: Callable[..., Loaded],
        show: Callable[[Loaded, str], ResponseReturnValue],
        refused: int = 409,
    ) -> Callable[[View[Loaded]], View[Loaded]]:
        """Decorate the view of a form that is part of other pages: like `form`, but without GET."""
        return self.form(path, load, show, refused, ["POST"])


def look_again(back: Callable[[Loaded], str]) -> Callable[[Loaded, str], str]:
    """Return a function that renders a sentence on a page of its own, with a link back."""

    def show(loaded: Loaded, wrong: str) -> str:
        title, link, label = gettext("Nothing was done"), back(loaded), gettext("Look again")
        return render_template("message.html", title=title, sentence=wrong, link=link, label=label)

    return show


class _Sentences:
    def gettext(self, string: str) -> str:
        return gettext(SENTENCES.get(string, string))

    def ngettext(self, singular: str, plural: str, n: int) -> str:
        return plural_form(singular, plural, n)


class TranslatedMeta(DefaultMeta):
    def get_translations(self, form: BaseForm) -> _Sentences:
        return _Sentences()


class TranslatedForm(Form):
    Meta = TranslatedMeta


class TextField(StringField):
    """A line of text, without blanks at the ends and cut off after `longest` characters."""

    data: str
    longest = 200

    def process_data(self, value: object) -> None:
        self.data = str(value or "")

    def process_formdata(self, valuelist: list[str]) -> None:
        if valuelist:
            self.data = valuelist[0].strip()[: self.longest]
