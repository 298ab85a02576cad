"""Settings of a server: types, and reading from the environment, from files and from config/settings.toml."""

from __future__ import annotations

import re
import stat
import tomllib
from collections.abc import Mapping
from difflib import get_close_matches
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any, Self

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PlainValidator,
    SecretStr,
    ValidationError,
    ValidatorFunctionWrapHandler,
    WrapValidator,
)
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError

from server.network import (
    DOMAIN,
    Endpoint,
    ImapMailbox,
    ListenEndpoint,
    Network,
    Relay,
    read_networks,
)

# --- the secret that seals links ------------------------------------------------------------------------

SHORTEST_SECRET = 16
FEWEST_DIFFERENT = 8
ROWS = ("1234567890", "qwertyuiop", "asdfghjkl", "zxcvbnm", "qwertzuiop", "yxcvbnm", "azertyuiop")
WELL_KNOWN = ("alexandrossecret", "correcthorsebattery", "changeme", "password", "secretkey")
"""Secrets from our documents and from lists of common passwords, without spaces and punctuation."""
HOST = re.compile(r"(https?://)?[\w-]+(\.[a-z][\w-]*)+/?")
DOCUMENTED = ("$(", "at least 16 characters", "alexandros secret", "/var/lib/alexandros")


def check_secret(text: str) -> None:
    """Refuse a guessable secret: raise `ValueError`, whose message does not show the secret."""
    folded = text.casefold()
    if any(words in folded for words in DOCUMENTED):
        raise ValueError("is the example from the documents")
    if len(text) < SHORTEST_SECRET:
        raise ValueError(f"is too short: it has {len(text)} characters")
    if len(set(text)) < FEWEST_DIFFERENT:
        raise ValueError(f"has only {len(set(text))} different characters")
    repeated = next(folded[:n] for n in range(1, len(folded) + 1) if folded[n:] == folded[:-n])
    if len(repeated) < SHORTEST_SECRET:
        raise ValueError("repeats the same few characters")
    words = re.findall(r"[^\W\d_]{3,}", folded)
    if len(words) > 1 and len({*words}) == 1:
        raise ValueError("repeats one word")
    if HOST.fullmatch(folded):
        raise ValueError("is the name of a host, which is public")
    letters = re.sub(r"[\W_]+", "", folded)
    rest = re.sub("|".join(WELL_KNOWN), "", letters)
    if rest != letters and len(rest) < SHORTEST_SECRET:
        raise ValueError("is a common password")
    if sum(not _goes_on(*pair) for pair in pairwise(folded)) + 1 < FEWEST_DIFFERENT:
        raise ValueError("is a sequence")


def _goes_on(one: str, other: str) -> bool:
    return abs(ord(one) - ord(other)) <= 1 or any(one + other in row or other + one in row for row in ROWS)


# --- the database ---------------------------------------------------------------------------------------

SQLITE, POSTGRESQL = "sqlite", "postgresql+psycopg"


def read_database_url(text: str) -> URL:
    try:
        url = make_url(text)
    except (ArgumentError, ValueError):  # their messages show the password
        raise ValueError("is not a database URL") from None
    if url.drivername == POSTGRESQL:
        if not url.database:
            raise ValueError("names no database of that server")
        return url
    if url.drivername != SQLITE:
        raise ValueError(f"begins neither with {SQLITE}: nor with {POSTGRESQL}:")
    if url.host or url.username:
        raise ValueError("names a host or a user, where only a path can stand after three slashes")
    if not url.database or url.database == ":memory:":
        raise ValueError("names a database in memory, which would not last")
    return url


def name_for_libpq(url: URL) -> dict[str, Any]:
    """Return the connection parameters of a PostgreSQL URL, under the names that libpq uses."""
    return dict(url.get_dialect()().create_connect_args(url)[1])


def file_of_database(url: URL) -> Path | None:
    return Path(url.database or "") if url.drivername == SQLITE else None


# --- types ----------------------------------------------------------------------------------------------

LONGEST_BASE_URL = 40
"""Maximum characters, so that mail headers with a link are not folded."""
LONGEST_HSTS = 63_072_000
"""Maximum seconds: two years. Preload lists of browsers require no more."""
MOST_UNASKED_PER_DAY = 1_000_000
LONGEST_TICK = 3600
"""Maximum seconds between two ticks, since a deadline may be noticed one tick late."""

MAIL_FROM_FORM = re.compile(r"""(?:"[^"\\]*"|[^][()<>@:;,."\\]*)\s*<([^<>]*)>|([^<>]*)""")
ADDRESS_FORM = re.compile(rf"[\w.!#$%&'*+/=?^`{{|}}~-]{{1,64}}@{DOMAIN.pattern}", re.ASCII)
SELECTOR_FORM = re.compile(r"[A-Za-z0-9_-]{1,63}(\.[A-Za-z0-9_-]{1,63}){0,2}")
AUTHSERV_FORM = re.compile(r"[A-Za-z0-9._-]{1,255}")
DIGITS = re.compile(r"[0-9]+")
BASE_URL_FORM = re.compile(r"https?://(\[[^\]]+\]|[^/:]+)(:[^/]+)?(/[\w.~-]+)*", re.ASCII)


def _matches(form: re.Pattern[str], wrong: str) -> AfterValidator:
    def check(text: str) -> str:
        if not form.fullmatch(text):
            raise ValueError(wrong)
        return text

    return AfterValidator(check)


def _else_says(wrong: str) -> WrapValidator:
    """Return a validator that raises `wrong` in place of pydantic's error, which may show the value."""

    def check(value: object, validate: ValidatorFunctionWrapHandler) -> object:
        try:
            return validate(value)
        except ValidationError:
            raise ValueError(wrong) from None

    return WrapValidator(check)


def _check_digits(value: object) -> object:
    """Refuse texts such as 1.0, 1_0 or True, which pydantic would convert to a whole number."""
    if not DIGITS.fullmatch(str(value)):
        raise ValueError("is not a whole number")
    return value


def _word_for_none(word: str) -> BeforeValidator:
    return BeforeValidator(lambda text: None if text == word else text)


OR_NONE = _word_for_none("none")
Domain = Annotated[str, _matches(DOMAIN, "is not a domain"), AfterValidator(str.lower)]
Address = Annotated[str, _matches(ADDRESS_FORM, "is not a mail address")]
Selector = Annotated[str, _matches(SELECTOR_FORM, "is not such a name")]
AuthservId = Annotated[str, _matches(AUTHSERV_FORM, "is not such a name"), AfterValidator(str.lower)]
WholeNumber = Annotated[int, BeforeValidator(_check_digits)]
Seconds = Annotated[float, Field(le=LONGEST_TICK, allow_inf_nan=False)]


def _check_base_url(text: str) -> str:
    if text.endswith("/"):
        raise ValueError("ends with a slash")
    if len(text) > LONGEST_BASE_URL:
        raise ValueError(f"has {len(text)} characters")
    found = BASE_URL_FORM.fullmatch(text)
    if not found:
        raise ValueError("is not a web address, or says more than where the pages begin")
    Endpoint.read(found[1] + (found[2] or ":80"))
    return text


def _check_sender(text: str) -> str:
    found = MAIL_FROM_FORM.fullmatch(text)
    if not found or not text.isprintable():
        raise ValueError("is not one address (put a name with punctuation in quotation marks)")
    if not ADDRESS_FORM.fullmatch(found[1] or found[2]):
        raise ValueError("is not a mail address")
    return text


def _check_secret(secret: SecretStr) -> SecretStr:
    check_secret(secret.get_secret_value())
    return secret


def _check_secrets(secret: SecretStr) -> SecretStr:
    parts = split_secrets(secret)
    for number, part in enumerate(parts, 1):
        try:
            check_secret(part)
        except ValueError as error:
            where = f" (number {number} of {len(parts)})" if parts[1:] else ""
            raise ValueError(f"{error}{where}") from None
    return secret


def split_secrets(secret: SecretStr) -> list[str]:
    return [part.strip() for part in secret.get_secret_value().split(",")]


def _check_folder(path: Path) -> Path:
    if not path.is_absolute():
        raise ValueError("is not a path that begins with /")
    return path


def _read_mail_in(text: str | None) -> ListenEndpoint | ImapMailbox | None:
    if text is None:
        return None
    if text.startswith(("smtp://", "lmtp://")):
        return ListenEndpoint.read(text)
    if text.startswith(("imap://", "imaps://")):
        return ImapMailbox.read(text)
    raise ValueError("is neither none nor begins with smtp://, lmtp://, imap:// or imaps://")


Secret = Annotated[SecretStr, AfterValidator(_check_secret)]
Folder = Annotated[Path, AfterValidator(_check_folder)]
RelayUrl = Annotated[Relay, PlainValidator(Relay.read)]
Networks = Annotated[
    tuple[Network, ...], PlainValidator(lambda text: () if text is None else read_networks(text)), OR_NONE
]


# --- files that hold settings ---------------------------------------------------------------------------

FILE_SUFFIX = "_FILE"
CREDENTIALS = "CREDENTIALS_DIRECTORY"
"""Variable in which systemd passes the folder of a service's credentials."""
LARGEST_FILE = 16_384
"""Maximum bytes of a file that holds a setting."""


class SettingsError(ValueError):
    """An unusable setting; the message names the setting, its fault and the expected form."""


def gather_settings(environ: Mapping[str, str], prefix: str) -> dict[str, str]:
    """Return the settings whose names begin with `prefix`, by full name. Raises `SettingsError`.

    The value of NAME is the variable NAME, the content of the file that the variable NAME_FILE names, or the
    systemd credential NAME. A setting given in two ways is refused. An empty variable counts as not set.
    """
    given = {name: text.strip() for name, text in environ.items() if name.startswith(prefix)}
    found = {name: text for name, text in given.items() if not name.endswith(FILE_SUFFIX)}
    places = {name: name for name, text in found.items() if text}
    for name, path, place in _list_files(given, environ.get(CREDENTIALS, ""), prefix):
        if name in places:
            raise SettingsError(f"{name} is given twice, by {places[name]} and by {place}; take one away.")
        places[name] = place
        found[name] = _read_file(path, place)
    return found


def _list_files(given: Mapping[str, str], folder: str, prefix: str) -> list[tuple[str, Path, str]]:
    named = [
        (name.removesuffix(FILE_SUFFIX), Path(text), name)
        for name, text in sorted(given.items())
        if name.endswith(FILE_SUFFIX) and text
    ]
    if not folder:
        return named
    try:
        files = sorted(file for file in Path(folder).iterdir() if file.name.startswith(prefix))
    except (OSError, ValueError) as error:
        raise SettingsError(
            f"{CREDENTIALS} names a folder that cannot be read: {_describe_reason(error)}."
        ) from None
    return [*named, *((file.name, file, f"the credential {file.name}") for file in files)]


def _read_file(path: Path, place: str) -> str:
    try:
        if not stat.S_ISREG(path.stat().st_mode):  # reading a pipe could block forever
            raise SettingsError(f"{place} names a path that is not a file: {path}.")
        with path.open("rb") as file:
            raw = file.read(LARGEST_FILE + 1)
    except SettingsError:
        raise
    except (OSError, ValueError) as error:
        raise SettingsError(f"{place} cannot be read from {path}: {_describe_reason(error)}.") from None
    if len(raw) > LARGEST_FILE:
        raise SettingsError(f"{place} has more than {LARGEST_FILE} bytes in {path}.")
    try:
        text = raw.decode("utf-8").strip()
    except UnicodeDecodeError:
        raise SettingsError(f"{place} has bytes in {path} that are not UTF-8.") from None
    if not text:
        raise SettingsError(f"{place} is empty in {path}; that file must contain the setting.")
    if not text.isprintable():
        raise SettingsError(f"{place} has more than one line in {path}, or unprintable characters.")
    return text


def _describe_reason(error: OSError | ValueError) -> str:
    return str(getattr(error, "strerror", None) or error)


# --- the settings ---------------------------------------------------------------------------------------

PREFIX = "ALEXANDROS_"
DEFAULTS = Path(__file__).parents[1] / "config/settings.toml"
STRONG = (
    f"At least {SHORTEST_SECRET} characters, {FEWEST_DIFFERENT} of them different, that cannot be guessed"
)
MAKING = "`alexandros secret` makes them"


class Settings(BaseModel):
    """All settings, checked and immutable. `repr` hides secrets and passwords."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", hide_input_in_errors=True, arbitrary_types_allowed=True
    )

    database: Annotated[URL, PlainValidator(read_database_url)] = Field(
        description="The SQLAlchemy URL of an SQLite database, such as sqlite:////var/lib/alexandros.db, or"
        f" of a PostgreSQL database, {POSTGRESQL}://user:password@host/name, percent-encoded."
    )
    base_url: Annotated[str, AfterValidator(_check_base_url)] = Field(
        description="The address at which players reach the pages, such as https://alexandros.example.org:"
        f" http or https, no slash at its end, at most {LONGEST_BASE_URL} characters."
    )
    listen: Annotated[Endpoint, PlainValidator(Endpoint.read)] = Field(
        description="The host and port at which the pages are served, such as 127.0.0.1:8000 or [::1]:8000."
    )
    trusted_proxies: Networks = Field(
        description="The addresses or networks of web servers in front of this one, with commas between them,"
        " such as 127.0.0.1, ::1: their X-Forwarded-For is believed; or none."
    )
    secret: Annotated[SecretStr, AfterValidator(_check_secrets)] = Field(
        description=f"{STRONG}: they seal every link and encrypt stored mail; {MAKING}; or several"
        " secrets with commas between them: the first one seals, all of them open."
    )
    mail_out: Annotated[RelayUrl | None, _word_for_none("local")] = Field(
        description="The way letters leave: local to keep them here, or smtp://user:password@host:port, or smtps://"
        " where TLS comes first; user and password can be left out and are percent-encoded."
    )
    mail_from: Annotated[str, AfterValidator(_check_sender)] = Field(
        description="The address that letters come from, such as Alexandros <alexandros@example.org>."
    )
    mail_domain: Domain = Field(
        description="The domain at which answers arrive, as play+...@ there, such as example.org."
    )
    mail_selector: Annotated[Selector | None, OR_NONE] = Field(
        description="The name of the DKIM key by which the relay signs letters, such as mail2026: the s= in"
        " their DKIM-Signature; or none."
    )
    mail_in: Annotated[ListenEndpoint | ImapMailbox | None, PlainValidator(_read_mail_in), OR_NONE] = Field(
        description="The way mail comes in: smtp://host:port or lmtp://host:port to listen there, such as"
        " smtp://127.0.0.1:8025, or a mailbox to fetch it from, imaps://user:password@host/folder, or imap://"
        " with STARTTLS; user, password and folder are percent-encoded; or none."
    )
    mail_secret: Annotated[Secret | None, OR_NONE] = Field(
        description=f"{STRONG}: the password of the mail server that posts mail to /mail; {MAKING}; or none:"
        " then no mail can be posted there."
    )
    operator: Annotated[Address | None, OR_NONE] = Field(
        description="The mail address of the operator, such as operator@example.net: it is informed when"
        " a limit of the whole server is reached, and gets the mail to postmaster@ and abuse@ at"
        " mail_domain; or none."
    )
    backup: Annotated[Folder | None, OR_NONE] = Field(
        description="The folder into which the database is copied each day at 3:00 UTC, such as"
        " /var/lib/alexandros/backups; the newest seven copies stay; or none."
    )
    unasked_per_day: Annotated[
        WholeNumber,
        Field(ge=1, le=MOST_UNASKED_PER_DAY),
        _else_says(f"is not a whole number from 1 to {MOST_UNASKED_PER_DAY}"),
    ] = Field(
        description="The letters that may leave within 24 hours to people who did not ask for them, such"
        " as 500; any more wait."
    )
    mail_authserv: Annotated[AuthservId | None, OR_NONE] = Field(
        description="The name by which your mail server signs its Authentication-Results (RFC 8601), such as"
        " mx.example.org; it must remove that name from mails that arrive with it; or none: then nothing"
        " checks who wrote a mail."
    )
    hsts: Annotated[
        WholeNumber,
        Field(ge=0, le=LONGEST_HSTS),
        _else_says(f"is not a whole number from 0 to {LONGEST_HSTS}"),
    ] = Field(
        description="The seconds for which browsers must use https only (HSTS), such as 31536000"
        " for a year, or 0 to send no such header; only where base_url is https."
    )
    monitors: Networks = Field(
        description="The addresses or networks that may read /metrics, with commas between them, such"
        " as 127.0.0.1, ::1; or none."
    )
    tick: Annotated[
        Seconds, Field(gt=0), _else_says(f"is not a number above 0 and at most {LONGEST_TICK}")
    ] = Field(description="The seconds between two looks at the clock, more than 0.")
    house_seconds: Annotated[
        Seconds, Field(ge=0), _else_says(f"is not a number from 0 to {LONGEST_TICK}")
    ] = Field(
        description="The seconds that a bot may think about a turn, in a process of its own, such as 20;"
        " or 0: then no process is started, and strong bots play as steady ones do."
    )

    @property
    def is_mailbox_shown(self) -> bool:
        """True only on a local server, where a page shows all letters with links, and no letter is sent."""
        host = BASE_URL_FORM.fullmatch(self.base_url)
        at = Endpoint(host[1].strip("[]"), 1) if host else self.listen
        return self.mail_out is None and self.listen.is_loopback and at.is_loopback

    @property
    def secrets(self) -> tuple[bytes, ...]:
        return tuple(one.encode() for one in split_secrets(self.secret))

    @classmethod
    def read(cls, environ: Mapping[str, str]) -> Self:
        """Read the environment and the files that it names, then settings.toml. Raises `SettingsError`."""
        given = gather_settings(environ, PREFIX)
        values = {name: str(value) for name, value in tomllib.loads(DEFAULTS.read_text("utf-8")).items()}
        values |= {name.removeprefix(PREFIX).lower(): text for name, text in given.items() if text}
        for variable in sorted(given.keys() - {PREFIX + name.upper() for name in cls.model_fields}):
            raise SettingsError(cls._describe_unknown(variable))
        try:
            return cls.model_validate(values)
        except ValidationError as error:
            raise SettingsError(cls._describe_error(error)) from None

    @classmethod
    def _describe_unknown(cls, variable: str) -> str:
        names = list(cls.model_fields)
        alike = get_close_matches(variable.removeprefix(PREFIX).lower(), names, 1) or names
        return f"{variable} is not a setting; it should be {' or '.join(PREFIX + n.upper() for n in alike)}."

    @classmethod
    def _describe_error(cls, error: ValidationError) -> str:
        first, *more = error.errors(include_url=False)
        name = str(first["loc"][0])
        if name not in cls.model_fields:  # an unknown name in config/settings.toml
            return cls._describe_unknown(PREFIX + name.upper())
        wrong = first["msg"].removeprefix("Value error, ")
        if first["type"] == "missing":
            others = [PREFIX + str(one["loc"][0]).upper() for one in more if one["type"] == "missing"]
            wrong = "is not set" + (f" (nor {', '.join(others)})" if others else "")
        right = cls.model_fields[name].description or ""
        return f"{PREFIX}{name.upper()} {wrong}; it should be {right[:1].lower()}{right[1:]}"

    @classmethod
    def demo(cls, database: str, listen: str, secret: str) -> Self:
        """Return settings for a demo on one machine, without real mail. Raises `SettingsError`."""
        given = {
            "database": database,
            "base_url": "http://" + re.sub(r"^(0\.0\.0\.0|\[::\])(?=:)", "localhost", listen),
            "listen": listen,
            "secret": secret,
            "mail_out": "local",
            "mail_from": "Alexandros <alexandros@example.org>",
            "mail_domain": "example.org",
            "tick": "1",
        }
        return cls.read({PREFIX + name.upper(): text for name, text in given.items()})
