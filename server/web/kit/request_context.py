"""What happens around every request: addresses, headers, cookies, CSRF tokens, transactions.

Each proxy appends its peer's address at the right end of `X-Forwarded-For`; a visitor can forge everything
to the left. So the list is read from the right: the first address that is not a trusted proxy belongs to the
visitor. Other forwarded headers, such as the host name, are ignored.

A site on a neighbouring subdomain can set cookies that browsers send to us. So under https our names begin
with `__Host-`, which browsers accept only from this host. If two cookies have one name, both are ignored, and
POST requests are refused until one is deleted. Scripts can read none of our cookies.

A CSRF token is a signed timestamp that is not stored. It is valid for a day, and for one subject: a text that
names a group of forms. The log of acts shows whether the action of a button was performed before.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable, Iterable
from datetime import datetime, timedelta
from functools import wraps
from hashlib import sha256
from typing import TYPE_CHECKING, Any, ClassVar, Concatenate, ParamSpec, TypeVar, cast
from urllib.parse import urlsplit, urlunsplit

from flask import Flask, Request, Response, current_app, g, redirect, request, session, url_for
from flask.sessions import SecureCookieSession, SecureCookieSessionInterface
from itsdangerous import BadSignature, SignatureExpired, TimestampSigner, URLSafeTimedSerializer
from sqlmodel import Session
from werkzeug.exceptions import HTTPException
from werkzeug.routing import RequestRedirect
from werkzeug.wrappers import Response as BaseResponse
from werkzeug.wsgi import get_path_info

from emails.i18n import gettext_noop
from emails.tokens import KeyRing, Purpose
from server.network import Network, is_within, parse_address
from server.outbox.queue import UnitOfWork, open_unit
from server.settings import Settings
from server.store.context import Context
from server.store.turn_clock import LEAST_ABSENCE, absent_since

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment


HOST_PREFIX = "__Host-"
"""Prefix of cookies that browsers accept only over https, for one host and all its paths (RFC 6265bis)."""
SIGN_IN_COOKIE = "SIGN_IN_COOKIE_NAME"
"""Key in `app.config` for the name of the session cookie."""
COOKIELESS_BLUEPRINTS = ("api_routes", "mail_hook")
SAFE_METHODS = ("GET", "HEAD", "OPTIONS")
ID_KEY = "id"


class PageError(HTTPException):
    """An error with a page of its own."""

    title: ClassVar[str]
    words: ClassVar[str]
    way_on: ClassVar[tuple[str, str]] = "", ""
    """Endpoint and title of a link."""


class DoubledCookie(PageError):
    """The browser sent two cookies of one name, so another site has set one of them."""

    code = 400
    title = gettext_noop("Please look once more")
    words = gettext_noop(
        "Your browser sent two cookies where one is ours, so another site has set the other. "
        "Nothing was done. Please delete the cookies of this site in your browser, and begin again."
    )


class _ClockSigner(TimestampSigner):
    """Sign by the application's clock; accept signatures from the future, since the clock may be set back."""

    def __init__(self, *arguments: Any, now: Callable[[], datetime], **named: Any) -> None:
        super().__init__(*arguments, **named)
        self.now = now

    def get_timestamp(self) -> int:
        return int(self.now().timestamp())

    def unsign(self, signed_value: Any, max_age: int | None = None, return_timestamp: bool = False) -> Any:
        """Return the signed value, unless older than `max_age` seconds. Raises `BadSignature`."""
        value, signed_at = super().unsign(signed_value, return_timestamp=True)
        if max_age is not None and self.get_timestamp() - signed_at.timestamp() > max_age:
            raise SignatureExpired("It is too old.", payload=value, date_signed=signed_at)
        return (value, signed_at) if return_timestamp else value


class _SingleCookieSessions(SecureCookieSessionInterface):
    def get_signing_serializer(self, app: Flask) -> URLSafeTimedSerializer | None:
        found = super().get_signing_serializer(app)
        if found is not None:
            found.signer = _ClockSigner
            found.signer_kwargs = {**found.signer_kwargs, "now": app.config["NOW"]}
        return found

    def open_session(self, app: Flask, request: Request) -> SecureCookieSession | None:
        if _is_doubled(request, self.get_cookie_name(app)):
            return self.session_class()
        return super().open_session(app, request)


def session_token() -> str:
    """Return the session token of the browser, or an empty text if the browser sent none or two."""
    name = current_app.config[SIGN_IN_COOKIE]
    return "" if _is_doubled(request, name) else request.cookies.get(name, "")


def _is_doubled(request: Request, name: str) -> bool:
    return len(request.cookies.getlist(name)) > 1


def _check_request() -> BaseResponse | None:
    error = request.routing_exception
    if isinstance(error, RequestRedirect):  # it names the host of the request, which may be forged
        to = urlsplit(error.new_url)
        return redirect(urlunsplit(("", "", f"/{to.path.lstrip('/')}", to.query, "")), error.code)
    if request.method in SAFE_METHODS or request.blueprint in COOKIELESS_BLUEPRINTS:
        return None
    names = current_app.config[SIGN_IN_COOKIE], current_app.config["SESSION_COOKIE_NAME"]
    if any(_is_doubled(request, name) for name in names):
        raise DoubledCookie
    return None


def browser_id() -> str:
    """Return a secret id of this browser and its session, for the subjects of CSRF tokens."""
    if ID_KEY not in session:
        session[ID_KEY] = secrets.token_urlsafe(12)
    return f"{session[ID_KEY]} {digest_token(session_token())}"


def digest_token(token: str) -> str:
    return sha256(token.encode()).hexdigest()[:22] if token else ""


Outcome = TypeVar("Outcome")
Values = ParamSpec("Values")
TOKEN_LIFETIME = timedelta(days=1)


class CsrfSigner(_ClockSigner):
    """Sign the time for one subject. The subject is part of the key, so that tokens stay short."""

    def __init__(self, subject: str, keys: KeyRing, now: datetime) -> None:
        oldest_first, salt = keys.derive_all(Purpose.FORM)[::-1], f"csrf\0{subject}"
        super().__init__(oldest_first, salt, key_derivation="hmac", digest_method=sha256, now=lambda: now)

    def accepts(self, given: str) -> bool:
        """Return whether a token is at most a day old, or up to a day ahead after the clock was set back."""
        try:
            _, signed_at = self.unsign(given, return_timestamp=True)
        except BadSignature:
            return False
        return bool(abs(self.get_timestamp() - signed_at.timestamp()) <= TOKEN_LIFETIME.total_seconds())


FORM_EXPIRED = gettext_noop(
    "This page was open for too long, or your browser keeps no cookies. Please press the button again."
)
FOREIGN_SENDERS = ("same-site", "cross-site")
"""Values of `Sec-Fetch-Site` for forms on pages of another host or port."""
CONTEXT_KEY = "context"


def current_context() -> Context:
    return cast(Context, current_app.extensions[CONTEXT_KEY])


def now() -> datetime:
    return cast(Callable[[], datetime], current_app.config["NOW"])()


def redirect_to(endpoint: str, **values: str | None) -> BaseResponse:
    """Redirect to one of our pages after a form was sent. By status 303 the browser uses GET."""
    return redirect(url_for(endpoint, **values), 303)  # type: ignore[arg-type]


def one_reading(page: Callable[Values, Outcome]) -> Callable[Values, Outcome]:
    """Let a page that changes nothing use one database session for all its queries."""

    @wraps(page)
    def show(*values: Values.args, **named: Values.kwargs) -> Outcome:
        with current_context().share_reading():
            return page(*values, **named)

    return show


def read(
    query: Callable[Concatenate[Session, Values], Outcome], *values: Values.args, **named: Values.kwargs
) -> Outcome:
    """Return the result of a query of the database."""
    with current_context().reading() as session:
        return query(session, *values, **named)


def in_transaction(work: Callable[[UnitOfWork], Outcome]) -> Outcome:
    with open_unit(current_context(), now()) as unit:
        outcome = work(unit)
        unit.commit()
    return outcome


def this_page() -> str:
    """Return the address of this page, without host and query, below the path of the server's base URL."""
    return url_for(request.endpoint or "", **(request.view_args or {}))


def absolute_url(path: str) -> str:
    """Return a path as a full address at our own host, not at the host that the request names."""
    ours = urlsplit(current_context().settings.base_url)
    return f"{ours.scheme}://{ours.netloc}{path}"


def csrf_token(subject: str = "") -> str:
    """Return a CSRF token; the default subject is `form_subject`."""
    return CsrfSigner(subject or form_subject(), current_context().links.keys, now()).sign("").decode()


def is_csrf_valid(subject: str = "", field: str = "nonce") -> bool:
    """Check a form's CSRF token, and by `Sec-Fetch-Site` that no neighbouring subdomain's page sent it.

    Sets `g.is_form_checked` if a token of the request is valid.
    """
    if request.headers.get("Sec-Fetch-Site") in FOREIGN_SENDERS:
        return False
    signer = CsrfSigner(subject or form_subject(), current_context().links.keys, now())
    is_valid = signer.accepts(request.form.get(field, ""))
    g.is_form_checked = g.get("is_form_checked", False) or is_valid
    return is_valid


def form_subject() -> str:
    """Return the CSRF subject of a request's forms. The default is a subject of this browser and session.

    Forms behind a secret link need no cookies: the function that loads the link sets another subject.
    """
    bound: str = g.get("form_subject", "")
    return bound or f"browser {browser_id()}"


def bind_forms(subject: str) -> None:
    g.form_subject = subject


def outage_began() -> datetime | None:
    """Return since when clocks are stopped because the server's mail is down. Queried once per request."""
    if "outage_began" not in g:
        g.outage_began = read(absent_since)
    began: datetime | None = g.outage_began
    return began


def is_mail_down() -> bool:
    began = outage_began()
    return began is not None and now() - began >= LEAST_ABSENCE


FORWARDED_FOR = "HTTP_X_FORWARDED_FOR"
UNKNOWN_VISITOR = "alexandros.unknown_visitor"
"""Key in the WSGI environment, set if a request was forwarded but no trusted proxy names the visitor."""
HOP = re.compile(r"\[([^]]+)\](?::\d+)?|([\d.]+):\d+")
"""An address with a port or in brackets, the forms in which some proxies write addresses."""
PUNCTUATION = ".,;:!?)]>}'\""
INVISIBLE = (
    " \u00a0\u00ad\u061c\u200b\u200c\u200d\u200e\u200f"
    "\u202a\u202b\u202c\u202d\u202e\u2060\u2066\u2067\u2068\u2069\ufeff"
)
"""Blanks, joiners and direction marks that programs append to links."""
LONGEST_HOST = 253 + len(":65535")
"""Maximum characters of a host name (RFC 1035, section 2.3.4) with a port."""
NO_HOST = "The request names no host that there could be.\n"


class RequestNormalizer:
    """WSGI middleware that prepares each request.

    It refuses invalid host names, on which the framework would fail. It sets REMOTE_ADDR to the visitor's
    address instead of a proxy's. It serves below the path `prefix`, whether or not the proxy strips that
    path, and strips punctuation and invisible characters from the end of the path.
    """

    def __init__(self, application: WSGIApplication, prefix: str, trusted: tuple[Network, ...]) -> None:
        self._application, self._prefix, self._trusted = application, prefix, trusted

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        if not is_host(environ.get("HTTP_HOST", "")):
            return Response(NO_HOST, 400, mimetype="text/plain")(environ, start_response)
        if self._prefix:
            environ["SCRIPT_NAME"] = self._prefix
            if f"{environ.get('PATH_INFO', '')}/".startswith(f"{self._prefix}/"):
                environ["PATH_INFO"] = environ["PATH_INFO"].removeprefix(self._prefix)
        forwarded, peer = environ.pop(FORWARDED_FOR, ""), environ.get("REMOTE_ADDR", "")
        for name in [one for one in environ if "FORWARDED" in one or one == "HTTP_X_REAL_IP"]:
            del environ[name]
        environ["REMOTE_ADDR"] = visitor = find_visitor(peer, forwarded, self._trusted)
        if forwarded and parse_address(visitor) == parse_address(peer):
            environ[UNKNOWN_VISITOR] = True
        path = get_path_info(environ)
        meant = path.rstrip(PUNCTUATION + INVISIBLE)
        if meant != path:
            environ["PATH_INFO"] = meant.encode().decode("latin-1")
        return self._application(environ, start_response)


def find_visitor(peer: str, forwarded: str, trusted: tuple[Network, ...]) -> str:
    """Return the visitor's address: the peer's own, unless the peer is a trusted proxy that names another."""
    speaks = parse_address(peer)
    if speaks is None:
        return peer
    if is_within(speaks, trusted):
        for hop in reversed(forwarded.split(",")):
            found = HOP.fullmatch(hop.strip())
            address = parse_address((found[1] or found[2]) if found else hop.strip())
            if address is None:
                break  # not an address, so the rest is not trusted
            if not is_within(address, trusted):
                return str(address)
    return str(speaks)


def is_host(name: str) -> bool:
    """Return whether `name` is a valid host name, with or without a port, or is empty."""
    try:
        name.encode("ascii").decode("idna").encode("idna")  # the conversions of the framework
    except UnicodeError:
        return False
    return len(name) <= LONGEST_HOST


CONTENT_SECURITY_POLICY = (
    "default-src 'none'; style-src 'self'; img-src 'self'; font-src 'self'; script-src 'self'; "
    "connect-src 'self'; frame-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": CONTENT_SECURITY_POLICY,
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "X-Robots-Tag": "noindex, nofollow",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cache-Control": "no-store",
}


def register(app: Flask, settings: Settings) -> None:
    """Normalize requests, add the security headers to every response, and set the attributes of cookies."""
    is_secure, path = settings.base_url.startswith("https:"), urlsplit(settings.base_url).path
    application = RequestNormalizer(app.wsgi_app, path, settings.trusted_proxies)
    app.wsgi_app = application  # type: ignore[method-assign]
    # A `__Host-` cookie applies to all paths, so its name must differ between servers of one host.
    begin, end = (HOST_PREFIX, path.replace("/", ".")) if is_secure else ("", "")
    app.config.update(
        {
            SIGN_IN_COOKIE: f"{begin}alexandros-in{end}",
            "SESSION_COOKIE_NAME": f"{begin}alexandros{end}",
            "SESSION_COOKIE_PATH": "/" if is_secure else path or "/",
            "SESSION_COOKIE_SECURE": is_secure,
            "SESSION_COOKIE_HTTPONLY": True,
            "SESSION_COOKIE_SAMESITE": "Lax",
            "PERMANENT_SESSION_LIFETIME": timedelta(days=365),
            # Otherwise every response sets the cookie, and a late response would undo a newer choice.
            "SESSION_REFRESH_EACH_REQUEST": False,
        }
    )
    app.session_interface = _SingleCookieSessions()
    app.before_request(_check_request)
    headers = dict(HEADERS)
    if settings.hsts and is_secure:
        headers["Strict-Transport-Security"] = f"max-age={settings.hsts}"

    @app.after_request
    def add(response: Response) -> Response:
        for name, value in headers.items():
            response.headers.setdefault(name, value)
        return response
