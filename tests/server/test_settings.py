"""Settings: what is read, what goes before what, and the sentence for each thing that can be wrong."""

import re
import tomllib
from importlib.resources import files
from ipaddress import ip_network

import pytest
from pydantic import ValidationError
from sqlalchemy import make_url

from server.configuration.network import Endpoint, ImapMailbox, ListenEndpoint, Relay
from server.configuration.settings import PREFIX, Settings, SettingsError

SECRET = "nobody guesses this one"
GIVEN = {
    "ALEXANDROS_DATABASE": "sqlite:////var/lib/alexandros.db",
    "ALEXANDROS_BASE_URL": "https://alexandros.example.org",
    "ALEXANDROS_SECRET": SECRET,
    "ALEXANDROS_MAIL_OUT": "local",
    "ALEXANDROS_MAIL_FROM": "Alexandros <alexandros@example.org>",
    "ALEXANDROS_MAIL_DOMAIN": "example.org",
}
NO_HOST = "does not name a valid host (put an IPv6 address in brackets)"
NO_BOX = "is not an address of the form imaps://user:password@host/folder"
NO_RELAY = "is neither local nor an address of the form smtp://user:password@host:port"


def read(**more: str) -> Settings:
    return Settings.read(GIVEN | {PREFIX + name.upper(): text for name, text in more.items()})


def refusal(environ: dict[str, str]) -> str:
    with pytest.raises(SettingsError) as refused:
        Settings.read(environ)
    return str(refused.value)


# --- what is read ---------------------------------------------------------------------------------------


def test_all_that_has_to_be_given_and_the_file_for_the_rest() -> None:
    settings = Settings.read(GIVEN | {"HOME": "elsewhere", "alexandros_tick": "7"})
    assert settings.database == make_url("sqlite:////var/lib/alexandros.db")
    assert settings.base_url == "https://alexandros.example.org"
    assert settings.secret.get_secret_value() == SECRET
    assert settings.mail_out is None
    assert settings.mail_from == "Alexandros <alexandros@example.org>"
    assert settings.mail_domain == "example.org"
    assert (settings.listen, settings.mail_in, settings.tick) == (Endpoint("127.0.0.1", 8000), None, 5.0)


def test_the_environment_goes_before_the_file() -> None:
    settings = read(listen="[::1]:80", mail_in="smtp://127.0.0.1:8025", tick="0.5")
    assert settings.listen == Endpoint("::1", 80)
    assert settings.mail_in == ListenEndpoint(Endpoint("127.0.0.1", 8025))
    assert settings.tick == 0.5


def test_only_the_environment_that_is_given_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALEXANDROS_TICK", "9")
    assert read().tick == 5


def test_an_empty_variable_is_none_and_blanks_around_a_value_do_not_count() -> None:
    assert read(tick="", listen=" ").listen == Endpoint("127.0.0.1", 8000)
    assert read(mail_domain=" Example.ORG\n").mail_domain == "example.org"
    assert refusal(GIVEN | {"ALEXANDROS_SECRET": ""}).startswith("ALEXANDROS_SECRET is not set;")


@pytest.mark.parametrize(
    ("text", "relay"),
    [
        ("smtp://mail.example.org:25", Relay(Endpoint("mail.example.org", 25), tls=False)),
        ("smtps://mail.example.org:465", Relay(Endpoint("mail.example.org", 465), tls=True)),
        ("smtp://[::1]:2525", Relay(Endpoint("::1", 2525), tls=False)),
        (
            "smtp://play%40example.org:a%2Fb%3Ac%25@mail.example.org:587",
            Relay(Endpoint("mail.example.org", 587), tls=False, user="play@example.org", password="a/b:c%"),
        ),
    ],
)
def test_a_relay(text: str, relay: Relay) -> None:
    assert read(mail_out=text).mail_out == relay


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("none", None),
        ("smtp://[::1]:25", ListenEndpoint(Endpoint("::1", 25))),
        ("lmtp://127.0.0.1:8024", ListenEndpoint(Endpoint("127.0.0.1", 8024), lmtp=True)),
        (
            "imaps://play:a%2Fb%3Ac%40%25@mail.example.org",
            ImapMailbox(Endpoint("mail.example.org", 993), tls=True, user="play", password="a/b:c@%"),
        ),
        (
            "imap://play%40example.org:p@[::1]/",
            ImapMailbox(Endpoint("::1", 143), tls=False, user="play@example.org", password="p"),
        ),
        (
            "imap://play:p@localhost:1143/Games/J%C3%BAly%20%26",
            ImapMailbox(
                Endpoint("localhost", 1143), tls=False, user="play", password="p", folder="Games/Júly &"
            ),
        ),
    ],
)
def test_a_way_in(text: str, place: ListenEndpoint | ImapMailbox | None) -> None:
    assert read(mail_in=text).mail_in == place


def test_a_secret_of_those_who_hand_in_mail() -> None:
    assert read().mail_secret is None
    given = read(mail_secret="sixteen characters or more").mail_secret
    assert given is not None
    assert given.get_secret_value() == "sixteen characters or more"


@pytest.mark.parametrize("text", ["127.0.0.1:8000", "[::1]:8000", "mail.example.org:25", "localhost:1"])
def test_an_endpoint_is_written_as_it_is_read(text: str) -> None:
    assert str(Endpoint.read(text)) == text


@pytest.mark.parametrize(
    ("text", "networks"),
    [
        ("none", ()),
        ("127.0.0.1", ("127.0.0.1/32",)),
        ("127.0.0.1, ::1,10.0.0.0/8", ("127.0.0.1/32", "::1/128", "10.0.0.0/8")),
    ],
)
def test_trusted_proxies(text: str, networks: tuple[str, ...]) -> None:
    assert read(trusted_proxies=text).trusted_proxies == tuple(map(ip_network, networks))


def test_the_name_of_the_key_that_signs_letters() -> None:
    assert read().mail_selector is None
    assert read(mail_selector="2026.mail_S1-a").mail_selector == "2026.mail_S1-a"


def test_what_is_on_this_machine() -> None:
    here = ["localhost", "127.0.0.1", "127.9.9.9", "::1"]
    elsewhere = ["0.0.0.0", "::", "192.0.2.1", "localhost.example.org", "2001:db8::1"]
    assert [Endpoint(host, 1).is_loopback for host in here + elsewhere] == [True] * 4 + [False] * 5


@pytest.mark.parametrize(
    "text",
    [
        "alexandros@example.org",
        "<alexandros@example.org>",
        "Anna's café <alexandros@example.org>",
        '"Alexandros, by mail" <alexandros@example.org>',
    ],
)
def test_a_sender_of_letters(text: str) -> None:
    assert read(mail_from=text).mail_from == text


@pytest.mark.parametrize(
    "text",
    ["http://localhost:8000", "https://[::1]:8000", "https://example.org/games", "http://h/" + "x" * 31],
)
def test_a_base_url(text: str) -> None:
    assert read(base_url=text).base_url == text


def test_the_settings_of_a_demo() -> None:
    settings = Settings.demo("sqlite:///demo.db", "127.0.0.1:8000", SECRET)
    assert (settings.mail_out, settings.mail_in) == (None, None)
    assert settings.base_url == "http://127.0.0.1:8000"
    assert Settings.demo("sqlite:///demo.db", "0.0.0.0:80", SECRET).base_url == "http://localhost:80"
    with pytest.raises(SettingsError, match=r"^ALEXANDROS_SECRET is too short: "):
        Settings.demo("sqlite:///demo.db", "127.0.0.1:8000", "short")


def test_settings_stay_as_they_are() -> None:
    with pytest.raises(ValidationError):
        read().tick = 1


# --- what is refused ------------------------------------------------------------------------------------


def test_all_that_is_missing_is_said_at_once() -> None:
    some = {
        name: text for name, text in GIVEN.items() if name not in {"ALEXANDROS_SECRET", "ALEXANDROS_BASE_URL"}
    }
    assert refusal(some) == (
        "ALEXANDROS_BASE_URL is not set (nor ALEXANDROS_SECRET); it should be the address at which players"
        " reach the pages, such as https://alexandros.example.org: http or https, no slash at its end,"
        " at most 40 characters."
    )


@pytest.mark.parametrize("variable", GIVEN)
def test_each_of_these_has_to_be_given(variable: str) -> None:
    some = {name: text for name, text in GIVEN.items() if name != variable}
    assert refusal(some).startswith(f"{variable} is not set; it should be ")


@pytest.mark.parametrize(
    ("name", "text", "wrong"),
    [
        ("database", "alexandros.db", "is not a database URL"),
        ("database", "mysql://h/d", "begins neither with sqlite: nor with postgresql+psycopg:"),
        ("database", "postgres://h/d", "begins neither with sqlite: nor with postgresql+psycopg:"),
        ("database", "postgresql+psycopg://u:hunter2@h", "names no database of that server"),
        ("database", "postgresql+psycopg://u:hunter2@h:port/d", "is not a database URL"),
        ("database", "sqlite://", "names a database in memory, which would not last"),
        ("database", "sqlite:///:memory:", "names a database in memory, which would not last"),
        (
            "database",
            "postgresql://u:hunter2@h/d",
            "begins neither with sqlite: nor with postgresql+psycopg:",
        ),
        ("database", "sqlite://u:hunter2@h:port/d", "is not a database URL"),
        ("database", "sqlite://u:hunter2@h/d", "names a host or a user"),
        ("base_url", "https://example.org/", "ends with a slash"),
        ("base_url", "https://example.org/" + "x" * 21, "has 41 characters"),
        ("base_url", "ftp://example.org", "is not a web address, or says more than where the pages begin"),
        ("base_url", "https://example.org?x", NO_HOST),
        ("base_url", "https://a@example.org", NO_HOST),
        ("base_url", "http://example.org:0", "names a port that is not a number from 1 to 65535"),
        ("listen", "8000", "does not name a host and a port"),
        ("listen", ":8000", "does not name a host and a port"),
        ("listen", "127.0.0.1:http", "names a port that is not a number from 1 to 65535"),
        ("listen", "127.0.0.1:65536", "names a port that is not a number from 1 to 65535"),
        ("listen", "::1:8000", NO_HOST),
        ("listen", "[127.0.0.1]:8000", "has no IPv6 address between its brackets"),
        ("listen", "a host:8000", NO_HOST),
        (
            "trusted_proxies",
            "proxy.example.org",
            "names proxy.example.org, which is neither an address nor a network",
        ),
        ("mail_selector", "s1._domainkey.example.org.", "is not such a name"),
        ("mail_selector", "s" * 64, "is not such a name"),
        ("trusted_proxies", "127.0.0.1,", "names nothing, which is neither an address nor a network"),
        ("trusted_proxies", "10.0.0.1/8", "names 10.0.0.1/8, which is neither an address nor a network"),
        ("trusted_proxies", "::1, 0.0.0.0/0", "names a network that holds every address"),
        ("secret", "hunter2", "is too short"),
        ("tick", "1e300", "is not a number above 0 and at most 3600"),
        ("mail_out", "sendmail", NO_RELAY),
        ("mail_out", "smtp://u@h:25", NO_RELAY),
        ("mail_out", "smtp://u:hunter2@h", "does not name a host and a port"),
        ("mail_out", "smtp://u:hunter%2@h:25", "has a % in its user or password that is not written as %25"),
        ("mail_out", "smtp://u:hunter2%C3%A9@h:25", "has a user or password that is not ASCII"),
        ("mail_from", "Alexandros", "is not a mail address"),
        ("mail_from", "Alexandros <alexandros>", "is not a mail address"),
        ("mail_from", "Alexandros <alexandros@example.org", "is not one address"),
        ("mail_from", "a@example.org, b@example.org", "is not a mail address"),
        ("mail_from", "Alexandros, by mail <a@example.org>", "is not one address"),
        ("mail_from", "A\r\nBcc: b@example.org <a@example.org>", "is not one address"),
        ("mail_domain", "play@example.org", "is not a domain"),
        ("mail_domain", "-.example.org", "is not a domain"),
        (
            "mail_in",
            "127.0.0.1:8025",
            "is neither none nor begins with smtp://, lmtp://, imap:// or imaps://",
        ),
        ("mail_in", "pop3://u:hunter2@h", "is neither none nor begins with smtp://"),
        ("mail_in", "smtp://8025", "does not name a host and a port"),
        ("mail_in", "lmtp://h:0", "names a port that is not a number from 1 to 65535"),
        ("mail_in", "imaps://mail.example.org", NO_BOX),
        ("mail_in", "imap://u@h/INBOX", NO_BOX),
        ("mail_in", "imap://u:hunter2@2@h/INBOX", NO_BOX),
        ("mail_in", "imap://u:hunter/2@h/INBOX", NO_BOX),
        ("mail_in", "imap://u:hunter2@:143", "does not name a host and a port"),
        ("mail_in", "imap://u:hunter2@a host", NO_HOST),
        ("mail_in", "imap://u:hunter2@h:imap", "names a port that is not a number from 1 to 65535"),
        ("mail_in", "imap://u:hunter2@::1/", NO_HOST),
        ("mail_in", "imap://u:hunter2%@h", "has a % in its user or password that is not written as %25"),
        ("mail_in", "imap://u:hunter%C3%A9@h", "has a user or password that is not ASCII"),
        ("mail_in", "imap://u:hunter2@h/100%", "has a % in its folder that is not written as %25"),
        ("mail_in", "imap://u:hunter2@h/a%0Ab", "does not name a valid folder"),
        ("mail_in", "imap://u:hunter2@h/" + "x" * 201, "does not name a valid folder"),
        ("mail_in", "imap://u:hunter2@h/Done", "names Done, the folder that mail is moved to"),
        ("mail_secret", "hunter2", "is too short"),
        ("hsts", "-1", "is not a whole number from 0 to 63072000"),
        ("hsts", "99999999", "is not a whole number from 0 to 63072000"),
        ("hsts", "a year", "is not a whole number from 0 to 63072000"),
        ("hsts", "31536000.0", "is not a whole number from 0 to 63072000"),
        ("hsts", "1_000", "is not a whole number from 0 to 63072000"),
        ("hsts", "+5", "is not a whole number from 0 to 63072000"),
        ("hsts", "1e3", "is not a whole number from 0 to 63072000"),
        ("hsts", "True", "is not a whole number from 0 to 63072000"),
        ("unasked_per_day", "0", "is not a whole number from 1 to 1000000"),
        ("unasked_per_day", "5.0", "is not a whole number from 1 to 1000000"),
        ("unasked_per_day", "-5", "is not a whole number from 1 to 1000000"),
        ("unasked_per_day", "٣", "is not a whole number from 1 to 1000000"),
        ("tick", "0", "is not a number above 0"),
        ("tick", "soon", "is not a number above 0"),
        ("tick", "nan", "is not a number above 0"),
        ("tick", "inf", "is not a number above 0"),
        ("house_seconds", "-1", "is not a number from 0"),
        ("house_seconds", "long", "is not a number from 0"),
    ],
)
def test_a_wrong_value_is_refused_with_what_is_wrong_and_what_would_be_right(
    name: str, text: str, wrong: str
) -> None:
    variable = PREFIX + name.upper()
    said = refusal(GIVEN | {variable: text})
    assert said.startswith(f"{variable} {wrong}")
    assert "; it should be " in said
    assert said.endswith(".")
    assert "\n" not in said
    assert "hunter" not in said


def test_a_variable_that_is_no_setting_is_refused_with_the_one_that_was_meant() -> None:
    said = refusal(GIVEN | {"ALEXANDROS_SECRETS": "hunter2"})
    assert said == "ALEXANDROS_SECRETS is not a setting; it should be ALEXANDROS_SECRET."
    assert "ALEXANDROS_TICK" in refusal(GIVEN | {"ALEXANDROS_": ""})
    assert refusal(GIVEN | {"ALEXANDROS_Tick": "5"}).startswith("ALEXANDROS_Tick is not a setting;")


def test_settings_shown_keep_secret_and_passwords_to_themselves() -> None:
    box = "imap://u:hunter2@h/INBOX"
    settings = read(
        mail_out="smtp://u:hunter2@h:25",
        secret="my hunter2 is my word",
        mail_in=box,
        mail_secret="a hunter2 for mail",
    )
    assert "hunter2" not in f"{settings!r} {settings} {settings.mail_in!r} {settings.mail_secret}"


# --- the file -------------------------------------------------------------------------------------------


def test_the_file_has_a_line_for_each_setting_with_its_description_above() -> None:
    text = (files("config") / "settings.toml").read_text(encoding="utf-8")
    lines = re.findall(r"^# (.+)\n(?:# )?(\w+) =", text, re.MULTILINE)
    assert [(name, said) for said, name in lines] == [
        (name, field.description) for name, field in Settings.model_fields.items()
    ]


def test_the_file_gives_what_need_not_be_given() -> None:
    text = (files("config") / "settings.toml").read_text(encoding="utf-8")
    needed = {name.removeprefix(PREFIX).lower() for name in GIVEN}
    assert tomllib.loads(text).keys() == Settings.model_fields.keys() - needed
