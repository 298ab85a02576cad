"""Settings of a server: their fields, the parsers of their values, and the files that hold secrets."""

from __future__ import annotations

import math
import re
import stat
import tomllib
from collections.abc import Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated, Self

from pydantic import Field, PlainValidator, SecretStr, ValidationError
from pydantic_settings import BaseSettings, InitSettingsSource, PydanticBaseSettingsSource, SettingsConfigDict
from sqlalchemy.engine import URL

from server.configuration.database_urls import POSTGRESQL, read_database_url
from server.configuration.network import (
    DOMAIN,
    Endpoint,
    ImapMailbox,
    ListenEndpoint,
    Network,
    Relay,
    read_networks,
)
from server.configuration.secret import FEWEST_DIFFERENT, SHORTEST_SECRET, check_secret

LONGEST_BASE_URL = 40
"""Characters: a header with a link of ours must not be folded."""
LONGEST_HSTS = 63_072_000
"""Seconds: two years, the most that lists of such hosts ask for."""
MOST_UNASKED_PER_DAY = 1_000_000
LONGEST_TICK = 3600
"""Seconds: a deadline should not pass for longer without anybody noticing."""

MAIL_FROM_FORM = re.compile(r"""(?:"[^"\\]*"|[^][()<>@:;,."\\]*)\s*<([^<>]*)>|([^<>]*)""")
LOCAL_PART_FORM = re.compile(r"[\w.!#$%&'*+/=?^`{|}~-]{1,64}", re.ASCII)
SELECTOR_FORM = re.compile(r"[A-Za-z0-9_-]{1,63}(\.[A-Za-z0-9_-]{1,63}){0,2}")
AUTHSERV_FORM = re.compile(r"[A-Za-z0-9._-]{1,255}")
BASE_URL_FORM = re.compile(r"https?://(\[[^\]]+\]|[^/:]+)(:[^/]+)?(/[\w.~-]+)*", re.ASCII)


def parse_base_url(text: str) -> str:
    """The address of the pages."""
    if text.endswith("/"):
        raise ValueError("ends with a slash")
    if len(text) > LONGEST_BASE_URL:
        raise ValueError(f"has {len(text)} characters")
    found = BASE_URL_FORM.fullmatch(text)
    if not found:
        raise ValueError("is no web address, or says more than where the pages begin")
    Endpoint.read(found[1] + (found[2] or ":80"))
    return text


def parse_secret(text: str) -> SecretStr:
    """One secret, which nobody can guess."""
    check_secret(text)
    return SecretStr(text)


def parse_secrets(text: str) -> SecretStr:
    """Several secrets, with commas between them; they stay one text."""
    parts = split_secrets(text)
    for number, part in enumerate(parts, 1):
        try:
            check_secret(part)
        except ValueError as error:
            raise ValueError(
                f"{error} (number {number} of {len(parts)})" if parts[1:] else str(error)
            ) from None
    return SecretStr(text)


def split_secrets(text: str) -> list[str]:
    """The secrets of a text, the one that seals first."""
    return [part.strip() for part in text.split(",")]


def parse_mail_from(text: str) -> str:
    """The address that letters come from, with a name before it or without."""
    found = MAIL_FROM_FORM.fullmatch(text)
    if not found or not text.isprintable():
        raise ValueError("is not one address (a name with signs in it stands in quotation marks)")
    mailbox, _, domain = (found[1] or found[2]).rpartition("@")
    if not LOCAL_PART_FORM.fullmatch(mailbox) or not DOMAIN.fullmatch(domain):
        raise ValueError("is no mail address")
    return text


def parse_mail_domain(text: str) -> str:
    """The domain of the addresses for answers."""
    if not DOMAIN.fullmatch(text):
        raise ValueError("is no domain")
    return text.lower()


def parse_mail_out(text: str) -> Relay | None:
    """The relay; None where letters are kept here."""
    return None if text == "local" else Relay.read(text)


def parse_mail_in(text: str) -> ListenEndpoint | ImapMailbox | None:
    """The way mail comes in; None where none does."""
    if text == "none":
        return None
    if text.startswith(("smtp://", "lmtp://")):
        return ListenEndpoint.read(text)
    if text.startswith(("imap://", "imaps://")):
        return ImapMailbox.read(text)
    raise ValueError("is neither none nor begins with smtp://, lmtp://, imap:// or imaps://")


def parse_mail_secret(text: str) -> SecretStr | None:
    """The secret of whoever hands in mail; None where nobody may."""
    return None if text == "none" else parse_secret(text)


def parse_networks(text: str) -> tuple[Network, ...]:
    """Addresses and networks; none of them for "none"."""
    return () if text == "none" else read_networks(text)


def parse_mail_authserv(text: str) -> str | None:
    """The name by which a mail server signs its verdicts; None where none does."""
    if not AUTHSERV_FORM.fullmatch(text):
        raise ValueError("is no such name")
    return None if text == "none" else text.lower()


def parse_mail_selector(text: str) -> str | None:
    """The name of the DKIM key; None where letters are not signed."""
    if not SELECTOR_FORM.fullmatch(text):
        raise ValueError("is no such name")
    return None if text == "none" else text


def parse_tick(text: str) -> float:
    """The seconds between two looks at the clock."""
    if not 0 < (seconds := _read_number(text)) <= LONGEST_TICK:
        raise ValueError(f"is no number above 0 and at most {LONGEST_TICK}")
    return seconds


def parse_house_seconds(text: str) -> float:
    """The seconds that a player of the house may think."""
    if not 0 <= (seconds := _read_number(text)) <= LONGEST_TICK:
        raise ValueError(f"is no number from 0 to {LONGEST_TICK}")
    return seconds


def _read_number(text: str) -> float:
    try:
        return float(text)
    except ValueError:  # its words are not ours
        return math.nan


def parse_operator(text: str) -> str | None:
    """The mail address of the operator; None where nobody is told."""
    if text == "none":
        return None
    mailbox, _, domain = text.rpartition("@")
    if not LOCAL_PART_FORM.fullmatch(mailbox) or not DOMAIN.fullmatch(domain):
        raise ValueError("is no mail address")
    return text


def parse_backup(text: str) -> Path | None:
    """The folder of the daily copies; None where none are made."""
    if text == "none":
        return None
    if not Path(text).is_absolute():
        raise ValueError("is no path that begins with /")
    return Path(text)


def parse_unasked_per_day(text: str) -> int:
    """The letters that nobody has asked for within 24 hours."""
    if not re.fullmatch(r"[0-9]{1,9}", text) or not 0 < int(text) <= MOST_UNASKED_PER_DAY:
        raise ValueError(f"is no whole number from 1 to {MOST_UNASKED_PER_DAY}")
    return int(text)


def parse_hsts(text: str) -> int:
    """The seconds for which browsers are to come by https."""
    if not re.fullmatch(r"[0-9]{1,9}", text) or int(text) > LONGEST_HSTS:
        raise ValueError(f"is no whole number from 0 to {LONGEST_HSTS}")
    return int(text)


FILE_SUFFIX = "_FILE"
CREDENTIALS = "CREDENTIALS_DIRECTORY"
"""The variable in which systemd names the folder of a service's credentials."""
LARGEST_FILE = 16_384
"""Bytes: no setting is nearly as long."""


class SettingsError(ValueError):
    """A setting that cannot be used; the sentence names it, what is wrong with it and what would be right."""


def gather_settings(environ: Mapping[str, str], prefix: str) -> dict[str, str]:
    """All variables of ours, from the environment and from files. Raises `SettingsError`.

    An empty variable counts as none; what is given in two ways is refused, since one of them is wrong.
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
    """Each variable that stands in a file: its name, the file, and how that was named."""
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
    """The one line of a file."""
    try:
        if not stat.S_ISREG(path.stat().st_mode):  # nobody may ever write into a pipe
            raise SettingsError(f"{place} names what is no file: {path}.")
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
        raise SettingsError(f"{place} has bytes in {path} that are no UTF-8.") from None
    if not text:
        raise SettingsError(f"{place} has nothing in {path}; the setting has to stand there.")
    if not text.isprintable():
        raise SettingsError(f"{place} has more than one line in {path}, or signs that cannot be printed.")
    return text


def _describe_reason(error: OSError | ValueError) -> str:
    """Why, in the system's words."""
    return str(getattr(error, "strerror", None) or error)


PREFIX = "ALEXANDROS_"
DEFAULTS = Path(__file__).parents[2] / "config/settings.toml"
STRONG = f"At least {SHORTEST_SECRET} characters, {FEWEST_DIFFERENT} of them different, that nobody can guess"
MAKING = "`alexandros secret` makes them"


class Settings(BaseSettings):
    """All settings, checked and never changed; shown, they keep secret and passwords to themselves."""

    model_config = SettingsConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)

    database: Annotated[URL, PlainValidator(read_database_url)] = Field(
        description="The SQLAlchemy URL of an SQLite database, such as sqlite:////var/lib/alexandros.db, or"
        f" of one of PostgreSQL, {POSTGRESQL}://user:password@host/name, percent-encoded."
    )
    base_url: Annotated[str, PlainValidator(parse_base_url)] = Field(
        description="The address at which players reach the pages, such as https://alexandros.example.org:"
        f" http or https, no slash at its end, at most {LONGEST_BASE_URL} characters."
    )
    listen: Annotated[Endpoint, PlainValidator(Endpoint.read)] = Field(
        description="The host and port at which the pages are served, such as 127.0.0.1:8000 or [::1]:8000."
    )
    trusted_proxies: Annotated[tuple[Network, ...], PlainValidator(parse_networks)] = Field(
        description="The addresses or networks of web servers before us, with commas between them, such as"
        " 127.0.0.1, ::1: what they say in X-Forwarded-For of who asks is believed; or none."
    )
    secret: Annotated[SecretStr, PlainValidator(parse_secrets)] = Field(
        description=f"{STRONG}, for they seal every link and every mail that is kept; {MAKING}; or several"
        " secrets with commas between them: the first seals, all open."
    )
    mail_out: Annotated[Relay | None, PlainValidator(parse_mail_out)] = Field(
        description="The way letters leave: local to keep them here, or smtp://user:password@host:port, or smtps://"
        " where TLS comes before all else; user and password can be left out and are percent-encoded."
    )
    mail_from: Annotated[str, PlainValidator(parse_mail_from)] = Field(
        description="The address that letters come from, such as Alexandros <alexandros@example.org>."
    )
    mail_domain: Annotated[str, PlainValidator(parse_mail_domain)] = Field(
        description="The domain at which answers arrive, as play+...@ there, such as example.org."
    )
    mail_selector: Annotated[str | None, PlainValidator(parse_mail_selector)] = Field(
        description="The name of the DKIM key by which the relay signs letters, such as mail2026: the s= in"
        " their DKIM-Signature; or none."
    )
    mail_in: Annotated[ListenEndpoint | ImapMailbox | None, PlainValidator(parse_mail_in)] = Field(
        description="The way mail comes in: smtp://host:port or lmtp://host:port to listen there, such as"
        " smtp://127.0.0.1:8025, or a mailbox to fetch it from, imaps://user:password@host/folder, or imap://"
        " where TLS is begun later; user, password and folder are percent-encoded; or none."
    )
    mail_secret: Annotated[SecretStr | None, PlainValidator(parse_mail_secret)] = Field(
        description=f"{STRONG} and that whoever hands in mail at /mail shares with us; {MAKING}; or none:"
        " then nothing can be handed in there."
    )
    operator: Annotated[str | None, PlainValidator(parse_operator)] = Field(
        description="The mail address of whoever runs this, such as operator@example.net: they are told when"
        " a limit of the whole server is reached, and get what is written to postmaster@ and abuse@ at"
        " mail_domain; or none."
    )
    backup: Annotated[Path | None, PlainValidator(parse_backup)] = Field(
        description="The folder into which the database is copied each day at 3:00 UTC, such as"
        " /var/lib/alexandros/backups; the newest seven copies stay; or none."
    )
    unasked_per_day: Annotated[int, PlainValidator(parse_unasked_per_day)] = Field(
        description="The letters that may leave within 24 hours to people who have not asked for them, such"
        " as 500; what is more waits."
    )
    mail_authserv: Annotated[str | None, PlainValidator(parse_mail_authserv)] = Field(
        description="The name by which your mail server signs its Authentication-Results (RFC 8601), such as"
        " mx.example.org; it must take that name away from mails that come with it; or none: then nobody"
        " judges whether a mail is from whom it says."
    )
    hsts: Annotated[int, PlainValidator(parse_hsts)] = Field(
        description="The seconds for which browsers are told to come by https alone (HSTS), such as 31536000"
        " for a year, or 0 to tell them nothing; only where base_url is https."
    )
    monitors: Annotated[tuple[Network, ...], PlainValidator(parse_networks)] = Field(
        description="The addresses or networks of those who may read /metrics, with commas between them, such"
        " as 127.0.0.1, ::1; or none."
    )
    tick: Annotated[float, PlainValidator(parse_tick)] = Field(
        description="The seconds between two looks at the clock, more than 0."
    )
    house_seconds: Annotated[float, PlainValidator(parse_house_seconds)] = Field(
        description="The seconds that a player of the house may think about a turn, in a process of its own,"
        " such as 20; or 0: then no other process is started, and the strong ones play as the steady ones do."
    )

    @property
    def is_mailbox_shown(self) -> bool:
        """Whether the built-in mailbox can be looked at: whoever reads it can play, so no stranger may."""
        host = BASE_URL_FORM.fullmatch(self.base_url)
        at = Endpoint(host[1].strip("[]"), 1) if host else self.listen
        return self.mail_out is None and self.listen.is_loopback and at.is_loopback

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """What `read` was given, then the file; either as text."""
        text = DEFAULTS.read_text("utf-8")
        values = {name: str(value) for name, value in tomllib.loads(text).items()}
        return init_settings, InitSettingsSource(settings_cls, dict(values))

    @classmethod
    def read(cls, environ: Mapping[str, str]) -> Self:
        """Read the environment and the files that it names, then settings.toml. Raises `SettingsError`."""
        given = gather_settings(environ, PREFIX)
        values = {name.removeprefix(PREFIX).lower(): text for name, text in given.items() if text}
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
        return f"{variable} is no setting; it should be {' or '.join(PREFIX + n.upper() for n in alike)}."

    @classmethod
    def _describe_error(cls, error: ValidationError) -> str:
        """The first thing that is wrong; where a setting is missing, with all others that are missing."""
        first, *more = error.errors(include_url=False)
        name = str(first["loc"][0])
        if name not in cls.model_fields:  # the file has it
            return cls._describe_unknown(PREFIX + name.upper())
        wrong = first["msg"].removeprefix("Value error, ")
        if first["type"] == "missing":
            others = [PREFIX + str(one["loc"][0]).upper() for one in more if one["type"] == "missing"]
            wrong = "is not set" + (f" (nor {', '.join(others)})" if others else "")
        right = cls.model_fields[name].description or ""
        return f"{PREFIX}{name.upper()} {wrong}; it should be {right[:1].lower()}{right[1:]}"

    @property
    def secrets(self) -> tuple[bytes, ...]:
        """The secrets: the first seals, all open."""
        return tuple(one.encode() for one in split_secrets(self.secret.get_secret_value()))

    @classmethod
    def demo(cls, database: str, listen: str, secret: str) -> Self:
        """Settings for a look around on one machine: letters are kept, none leaves and none comes in.

        Raises `SettingsError`.
        """
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
