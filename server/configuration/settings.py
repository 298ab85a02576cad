"""The settings: what differs from one server to the next.

Each is given in the environment, as ALEXANDROS_ and its name in capitals, or in a file (settings_files);
config/settings.toml holds the values of those that were not given. A setting that is wrong or missing is
refused with one sentence, and nothing starts.
"""

from __future__ import annotations

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
from server.configuration.endpoints import Endpoint, ImapMailbox, ListenEndpoint, Relay
from server.configuration.networks import Network
from server.configuration.secret import FEWEST_DIFFERENT, SHORTEST_SECRET
from server.configuration.setting_values import (
    BASE_URL_FORM,
    LONGEST_BASE_URL,
    parse_backup,
    parse_base_url,
    parse_house_seconds,
    parse_hsts,
    parse_mail_authserv,
    parse_mail_domain,
    parse_mail_from,
    parse_mail_in,
    parse_mail_out,
    parse_mail_secret,
    parse_mail_selector,
    parse_networks,
    parse_operator,
    parse_secrets,
    parse_tick,
    parse_unasked_per_day,
    split_secrets,
)
from server.configuration.settings_files import SettingsError, gather_settings

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
