"""The settings: what differs from one server to the next.

Each is given in the environment, as ALEXANDROS_ and its name in capitals, or in a file (settings_files);
config/settings.toml holds the values of those that were not given. A setting that is wrong or missing is
refused with one sentence, and nothing starts.
"""

from __future__ import annotations

import math
import re
import tomllib
from collections.abc import Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated, Self

from pydantic import Field, PlainValidator, SecretStr, ValidationError
from pydantic_settings import (
    BaseSettings,
    InitSettingsSource,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
)
from sqlalchemy.engine import URL

from server.configuration.database_urls import POSTGRESQL, read_database_url
from server.configuration.endpoints import DOMAIN, Endpoint, ImapMailbox, ListenEndpoint, Relay
from server.configuration.networks import Network, read_networks
from server.configuration.secret import FEWEST_DIFFERENT, SHORTEST_SECRET, check_secret
from server.configuration.settings_files import SettingsError, gather_settings

PREFIX = "ALEXANDROS_"
DEFAULTS = Path(__file__).parents[2] / "config/settings.toml"
LONGEST_BASE_URL = 40
"""Characters: a header with a link of ours must not be folded."""
STRONG = f"At least {SHORTEST_SECRET} characters, {FEWEST_DIFFERENT} of them different, that nobody can guess"
MAKING = "`alexandros secret` makes them"
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


def _parse_base_url(text: str) -> str:
    if text.endswith("/"):
        raise ValueError("ends with a slash")
    if len(text) > LONGEST_BASE_URL:
        raise ValueError(f"has {len(text)} characters")
    found = BASE_URL_FORM.fullmatch(text)
    if not found:
        raise ValueError("is no web address, or says more than where the pages begin")
    Endpoint.read(found[1] + (found[2] or ":80"))
    return text


def _parse_secret(text: str) -> SecretStr:
    check_secret(text)
    return SecretStr(text)


def _parse_secrets(text: str) -> SecretStr:
    parts = _split_secrets(text)
    for number, part in enumerate(parts, 1):
        try:
            check_secret(part)
        except ValueError as error:
            raise ValueError(
                f"{error} (number {number} of {len(parts)})" if parts[1:] else str(error)
            ) from None
    return SecretStr(text)


def _split_secrets(text: str) -> list[str]:
    return [part.strip() for part in text.split(",")]


def _parse_mail_from(text: str) -> str:
    found = MAIL_FROM_FORM.fullmatch(text)
    if not found or not text.isprintable():
        raise ValueError("is not one address (a name with signs in it stands in quotation marks)")
    mailbox, _, domain = (found[1] or found[2]).rpartition("@")
    if not LOCAL_PART_FORM.fullmatch(mailbox) or not DOMAIN.fullmatch(domain):
        raise ValueError("is no mail address")
    return text


def _parse_mail_domain(text: str) -> str:
    if not DOMAIN.fullmatch(text):
        raise ValueError("is no domain")
    return text.lower()


def _parse_mail_out(text: str) -> Relay | None:
    return None if text == "local" else Relay.read(text)


def _parse_mail_in(text: str) -> ListenEndpoint | ImapMailbox | None:
    if text == "none":
        return None
    if text.startswith(("smtp://", "lmtp://")):
        return ListenEndpoint.read(text)
    if text.startswith(("imap://", "imaps://")):
        return ImapMailbox.read(text)
    raise ValueError("is neither none nor begins with smtp://, lmtp://, imap:// or imaps://")


def _parse_mail_secret(text: str) -> SecretStr | None:
    return None if text == "none" else _parse_secret(text)


def _parse_networks(text: str) -> tuple[Network, ...]:
    return () if text == "none" else read_networks(text)


def _parse_mail_authserv(text: str) -> str | None:
    if not AUTHSERV_FORM.fullmatch(text):
        raise ValueError("is no such name")
    return None if text == "none" else text.lower()


def _parse_mail_selector(text: str) -> str | None:
    if not SELECTOR_FORM.fullmatch(text):
        raise ValueError("is no such name")
    return None if text == "none" else text


def _parse_tick(text: str) -> float:
    if not 0 < (seconds := _read_number(text)) <= LONGEST_TICK:
        raise ValueError(f"is no number above 0 and at most {LONGEST_TICK}")
    return seconds


def _parse_house_seconds(text: str) -> float:
    if not 0 <= (seconds := _read_number(text)) <= LONGEST_TICK:
        raise ValueError(f"is no number from 0 to {LONGEST_TICK}")
    return seconds


def _read_number(text: str) -> float:
    try:
        return float(text)
    except ValueError:  # its words are not ours
        return math.nan


def _parse_operator(text: str) -> str | None:
    if text == "none":
        return None
    mailbox, _, domain = text.rpartition("@")
    if not LOCAL_PART_FORM.fullmatch(mailbox) or not DOMAIN.fullmatch(domain):
        raise ValueError("is no mail address")
    return text


def _parse_unasked_per_day(text: str) -> int:
    if not re.fullmatch(r"[0-9]{1,9}", text) or not 0 < int(text) <= MOST_UNASKED_PER_DAY:
        raise ValueError(f"is no whole number from 1 to {MOST_UNASKED_PER_DAY}")
    return int(text)


def _parse_hsts(text: str) -> int:
    if not re.fullmatch(r"[0-9]{1,9}", text) or int(text) > LONGEST_HSTS:
        raise ValueError(f"is no whole number from 0 to {LONGEST_HSTS}")
    return int(text)


class Settings(BaseSettings):
    """All settings, checked and never changed; shown, they keep secret and passwords to themselves."""

    model_config = SettingsConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)

    database: Annotated[URL, PlainValidator(read_database_url)] = Field(
        description="The SQLAlchemy URL of an SQLite database, such as sqlite:////var/lib/alexandros.db, or"
        f" of one of PostgreSQL, {POSTGRESQL}://user:password@host/name, percent-encoded."
    )
    base_url: Annotated[str, PlainValidator(_parse_base_url)] = Field(
        description="The address at which players reach the pages, such as https://alexandros.example.org:"
        f" http or https, no slash at its end, at most {LONGEST_BASE_URL} characters."
    )
    listen: Annotated[Endpoint, PlainValidator(Endpoint.read)] = Field(
        description="The host and port at which the pages are served, such as 127.0.0.1:8000 or [::1]:8000."
    )
    trusted_proxies: Annotated[tuple[Network, ...], PlainValidator(_parse_networks)] = Field(
        description="The addresses or networks of web servers before us, with commas between them, such as"
        " 127.0.0.1, ::1: what they say in X-Forwarded-For of who asks is believed; or none."
    )
    secret: Annotated[SecretStr, PlainValidator(_parse_secrets)] = Field(
        description=f"{STRONG}, for they seal every link and every mail that is kept; {MAKING}; or several"
        " secrets with commas between them: the first seals, all open."
    )
    mail_out: Annotated[Relay | None, PlainValidator(_parse_mail_out)] = Field(
        description="The way letters leave: local to keep them here, or smtp://user:password@host:port, or smtps://"
        " where TLS comes before all else; user and password can be left out and are percent-encoded."
    )
    mail_from: Annotated[str, PlainValidator(_parse_mail_from)] = Field(
        description="The address that letters come from, such as Alexandros <alexandros@example.org>."
    )
    mail_domain: Annotated[str, PlainValidator(_parse_mail_domain)] = Field(
        description="The domain at which answers arrive, as play+...@ there, such as example.org."
    )
    mail_selector: Annotated[str | None, PlainValidator(_parse_mail_selector)] = Field(
        description="The name of the DKIM key by which the relay signs letters, such as mail2026: the s= in"
        " their DKIM-Signature; or none."
    )
    mail_sends_from: Annotated[tuple[Network, ...], PlainValidator(_parse_networks)] = Field(
        description="The addresses or networks from which the relay sends to the world, with commas between"
        " them, such as 192.0.2.25; or none."
    )
    mail_in: Annotated[ListenEndpoint | ImapMailbox | None, PlainValidator(_parse_mail_in)] = Field(
        description="The way mail comes in: smtp://host:port or lmtp://host:port to listen there, such as"
        " smtp://127.0.0.1:8025, or a mailbox to fetch it from, imaps://user:password@host/folder, or imap://"
        " where TLS is begun later; user, password and folder are percent-encoded; or none."
    )
    mail_secret: Annotated[SecretStr | None, PlainValidator(_parse_mail_secret)] = Field(
        description=f"{STRONG} and that whoever hands in mail at /mail shares with us; {MAKING}; or none:"
        " then nothing can be handed in there."
    )
    operator: Annotated[str | None, PlainValidator(_parse_operator)] = Field(
        description="The mail address of whoever runs this, such as operator@example.net: they are told when"
        " a limit of the whole server is reached, and get what is written to postmaster@ and abuse@ at"
        " mail_domain; or none."
    )
    unasked_per_day: Annotated[int, PlainValidator(_parse_unasked_per_day)] = Field(
        description="The letters that may leave within 24 hours to people who have not asked for them, such"
        " as 500; what is more waits."
    )
    mail_authserv: Annotated[str | None, PlainValidator(_parse_mail_authserv)] = Field(
        description="The name by which your mail server signs its Authentication-Results (RFC 8601), such as"
        " mx.example.org; it must take that name away from mails that come with it; or none: then nobody"
        " judges whether a mail is from whom it says."
    )
    hsts: Annotated[int, PlainValidator(_parse_hsts)] = Field(
        description="The seconds for which browsers are told to come by https alone (HSTS), such as 31536000"
        " for a year, or 0 to tell them nothing; only where base_url is https."
    )
    monitors: Annotated[tuple[Network, ...], PlainValidator(_parse_networks)] = Field(
        description="The addresses or networks of those who may read /metrics, with commas between them, such"
        " as 127.0.0.1, ::1; or none."
    )
    tick: Annotated[float, PlainValidator(_parse_tick)] = Field(
        description="The seconds between two looks at the clock, more than 0."
    )
    house_seconds: Annotated[float, PlainValidator(_parse_house_seconds)] = Field(
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
        return tuple(one.encode() for one in _split_secrets(self.secret.get_secret_value()))

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
