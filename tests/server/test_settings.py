"""Settings: what is read, what goes before what, and the sentence for each thing that can be wrong."""

import os
import re
import tomllib
from importlib.resources import files
from ipaddress import ip_network
from pathlib import Path

import pytest
from sqlalchemy import make_url

from server.cli.service import make_secret
from server.network import (
    INTERNAL,
    Endpoint,
    ImapMailbox,
    ListenEndpoint,
    Relay,
    is_within,
    network_of,
    parse_address,
)
from server.settings import LARGEST_FILE, PREFIX, Settings, SettingsError, check_secret

SECRET = "nobody guesses this one"
GIVEN = {
    "ALEXANDROS_DATABASE": "sqlite:////var/lib/alexandros.db",
    "ALEXANDROS_BASE_URL": "https://alexandros.example.org",
    "ALEXANDROS_SECRET": SECRET,
    "ALEXANDROS_MAIL_OUT": "local",
    "ALEXANDROS_MAIL_FROM": "Alexandros <alexandros@example.org>",
    "ALEXANDROS_MAIL_DOMAIN": "example.org",
}
NETWORKS = ("127.0.0.1/32", "::1/128", "10.0.0.0/8")


def read(**more: str) -> Settings:
    return Settings.read(GIVEN | {PREFIX + name.upper(): text for name, text in more.items()})


def refusal(environ: dict[str, str]) -> str:
    with pytest.raises(SettingsError) as refused:
        Settings.read(environ)
    return str(refused.value)


def test_all_that_has_to_be_given_and_the_file_for_the_rest():
    settings = Settings.read(GIVEN | {"HOME": "elsewhere", "alexandros_tick": "7"})
    assert settings.database == make_url(GIVEN["ALEXANDROS_DATABASE"])
    assert settings.secret.get_secret_value() == SECRET
    assert settings.mail_out is None
    for name in ("base_url", "mail_from", "mail_domain"):
        assert getattr(settings, name) == GIVEN[f"ALEXANDROS_{name.upper()}"]
    assert (settings.listen, settings.mail_in, settings.tick) == (Endpoint("127.0.0.1", 8000), None, 5.0)


def test_the_environment_goes_before_the_file():
    settings = read(listen="[::1]:80", mail_in="smtp://127.0.0.1:8025", tick="0.5")
    assert settings.listen == Endpoint("::1", 80)
    assert settings.mail_in == ListenEndpoint(Endpoint("127.0.0.1", 8025))
    assert settings.tick == 0.5


def test_an_empty_variable_is_none_and_blanks_around_a_value_do_not_count():
    assert read(tick="", listen=" ").listen == Endpoint("127.0.0.1", 8000)
    assert read(mail_domain=" Example.ORG\n").mail_domain == "example.org"
    assert refusal(GIVEN | {"ALEXANDROS_SECRET": ""}).startswith("ALEXANDROS_SECRET is not set;")


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("mail_out", "smtp://mail.example.org:25", Relay(Endpoint("mail.example.org", 25), tls=False)),
        ("mail_out", "smtps://mail.example.org:465", Relay(Endpoint("mail.example.org", 465), tls=True)),
        ("mail_out", "smtp://[::1]:2525", Relay(Endpoint("::1", 2525), tls=False)),
        (
            "mail_out",
            "smtp://play%40example.org:a%2Fb%3Ac%25@mail.example.org:587",
            Relay(Endpoint("mail.example.org", 587), tls=False, user="play@example.org", password="a/b:c%"),
        ),
        ("mail_in", "none", None),
        ("mail_in", "smtp://[::1]:25", ListenEndpoint(Endpoint("::1", 25))),
        ("mail_in", "lmtp://127.0.0.1:8024", ListenEndpoint(Endpoint("127.0.0.1", 8024), lmtp=True)),
        (
            "mail_in",
            "imaps://play:a%2Fb%3Ac%40%25@mail.example.org",
            ImapMailbox(Endpoint("mail.example.org", 993), tls=True, user="play", password="a/b:c@%"),
        ),
        (
            "mail_in",
            "imap://play%40example.org:p@[::1]/",
            ImapMailbox(Endpoint("::1", 143), tls=False, user="play@example.org", password="p"),
        ),
        (
            "mail_in",
            "imap://play:p@localhost:1143/Games/J%C3%BAly%20%26",
            ImapMailbox(Endpoint("localhost", 1143), False, user="play", password="p", folder="Games/Júly &"),
        ),
        ("trusted_proxies", "none", ()),
        ("trusted_proxies", "127.0.0.1", (ip_network("127.0.0.1/32"),)),
        ("trusted_proxies", "127.0.0.1, ::1,10.0.0.0/8", tuple(map(ip_network, NETWORKS))),
    ],
)
def test_a_relay_a_way_in_and_trusted_proxies(name, text, value):
    assert getattr(read(**{name: text}), name) == value


def test_the_settings_of_a_demo():
    settings = Settings.demo("sqlite:///demo.db", "127.0.0.1:8000", SECRET)
    assert (settings.mail_out, settings.mail_in) == (None, None)
    assert settings.base_url == "http://127.0.0.1:8000"
    assert Settings.demo("sqlite:///demo.db", "0.0.0.0:80", SECRET).base_url == "http://localhost:80"
    with pytest.raises(SettingsError, match=r"^ALEXANDROS_SECRET is too short: "):
        Settings.demo("sqlite:///demo.db", "127.0.0.1:8000", "short")


def test_all_that_is_missing_is_said_at_once():
    some = {
        name: text for name, text in GIVEN.items() if name not in {"ALEXANDROS_SECRET", "ALEXANDROS_BASE_URL"}
    }
    assert refusal(some) == (
        "ALEXANDROS_BASE_URL is not set (nor ALEXANDROS_SECRET); it should be the address at which players"
        " reach the pages, such as https://alexandros.example.org: http or https, no slash at its end,"
        " at most 40 characters."
    )


@pytest.mark.parametrize("variable", GIVEN)
def test_each_of_these_has_to_be_given(variable):
    some = {name: text for name, text in GIVEN.items() if name != variable}
    assert refusal(some).startswith(f"{variable} is not set; it should be ")


REFUSED = tomllib.loads((Path(__file__).parent / "refused_settings.toml").read_text("utf-8"))
"""For each setting what is said of wrong values, and the values."""


@pytest.mark.parametrize(
    ("name", "wrong", "text"),
    [(name, wrong, one) for name, said in REFUSED.items() for wrong, texts in said.items() for one in texts],
)
def test_a_wrong_value_is_refused_with_what_is_wrong_and_what_would_be_right(name, wrong, text):
    variable = PREFIX + name.upper()
    said = refusal(GIVEN | {variable: text})
    assert said.startswith(f"{variable} {wrong}")
    assert "; it should be " in said
    assert said.endswith(".")
    assert "\n" not in said
    assert "hunter" not in said


def test_a_variable_that_is_no_setting_is_refused_with_the_one_that_was_meant():
    said = refusal(GIVEN | {"ALEXANDROS_SECRETS": "hunter2"})
    assert said == "ALEXANDROS_SECRETS is not a setting; it should be ALEXANDROS_SECRET."
    assert "ALEXANDROS_TICK" in refusal(GIVEN | {"ALEXANDROS_": ""})
    assert refusal(GIVEN | {"ALEXANDROS_Tick": "5"}).startswith("ALEXANDROS_Tick is not a setting;")


def test_settings_shown_keep_secret_and_passwords_to_themselves():
    box = "imap://u:hunter2@h/INBOX"
    settings = read(
        mail_out="smtp://u:hunter2@h:25",
        secret="my hunter2 is my word",
        mail_in=box,
        mail_secret="a hunter2 for mail",
    )
    assert "hunter2" not in f"{settings!r} {settings} {settings.mail_in!r} {settings.mail_secret}"


def test_the_file_has_a_line_for_each_setting_with_its_description_above():
    text = (files("config") / "settings.toml").read_text(encoding="utf-8")
    lines = re.findall(r"^# (.+)\n(?:# )?(\w+) =", text, re.MULTILINE)
    assert [(name, said) for said, name in lines] == [
        (name, field.description) for name, field in Settings.model_fields.items()
    ]


def test_the_file_gives_what_need_not_be_given():
    text = (files("config") / "settings.toml").read_text(encoding="utf-8")
    needed = {name.removeprefix(PREFIX).lower() for name in GIVEN}
    assert tomllib.loads(text).keys() == Settings.model_fields.keys() - needed


OTHER = "one more that nobody guesses"
WITHOUT = {name: text for name, text in GIVEN.items() if name != "ALEXANDROS_SECRET"}


@pytest.fixture
def secret(tmp_path: Path) -> Path:
    file = tmp_path / "secret"
    file.write_text(f"{OTHER}\n")
    return file


@pytest.fixture
def credentials(tmp_path: Path) -> Path:
    folder = tmp_path / "credentials"
    folder.mkdir()
    (folder / "ALEXANDROS_SECRET").write_text(f"{OTHER}\n")
    (folder / "something else").write_bytes(b"\xff")
    return folder


def test_a_setting_stands_in_a_file_that_is_named(secret):
    settings = Settings.read(WITHOUT | {"ALEXANDROS_SECRET_FILE": str(secret)})
    assert settings.secret.get_secret_value() == OTHER


def test_a_credential_of_systemd_is_read_by_its_name_and_no_other_file(credentials):
    settings = Settings.read(WITHOUT | {"CREDENTIALS_DIRECTORY": str(credentials)})
    assert settings.secret.get_secret_value() == OTHER


def test_every_setting_can_stand_in_a_file(tmp_path):
    for name, text in GIVEN.items():
        (tmp_path / name).write_text(f"  {text}\r\n")
    assert Settings.read({"CREDENTIALS_DIRECTORY": str(tmp_path)}) == Settings.read(GIVEN)
    named = {f"{name}_FILE": str(tmp_path / name) for name in GIVEN}
    assert Settings.read(named) == Settings.read(GIVEN)
    assert not [name for name in Settings.model_fields if name.endswith("_file")]


def test_an_empty_variable_names_no_file(secret):
    empty = {"ALEXANDROS_SECRET_FILE": "", "CREDENTIALS_DIRECTORY": ""}
    assert Settings.read(GIVEN | empty).secret.get_secret_value() == SECRET
    filed = WITHOUT | {"ALEXANDROS_SECRET": " ", "ALEXANDROS_SECRET_FILE": str(secret)}
    assert Settings.read(filed).secret.get_secret_value() == OTHER


def test_what_is_given_twice_is_refused_with_both_ways(secret, credentials):
    named = {"ALEXANDROS_SECRET_FILE": str(secret)}
    assert refusal(GIVEN | named) == (
        "ALEXANDROS_SECRET is given twice, by ALEXANDROS_SECRET and by ALEXANDROS_SECRET_FILE; take one away."
    )
    assert refusal(WITHOUT | named | {"CREDENTIALS_DIRECTORY": str(credentials)}) == (
        "ALEXANDROS_SECRET is given twice, by ALEXANDROS_SECRET_FILE and by the credential"
        " ALEXANDROS_SECRET; take one away."
    )


def test_a_file_of_what_is_no_setting_is_refused_with_what_was_meant(secret):
    assert "it should be ALEXANDROS_SECRET" in refusal(WITHOUT | {"ALEXANDROS_SECRETS_FILE": str(secret)})


WRONG: dict[str, tuple[bytes, str]] = {
    "empty": (b"", "is empty in"),
    "blank": (b" \n\n", "is empty in"),
    "two lines": (b"one line of a secret\nand another", "has more than one line in"),
    "a NUL": (b"a secret\0of more than that", "has more than one line in"),
    "no text": (b"\xff\xfe a secret of more", "has bytes in"),
    "too large": (b"x" * (LARGEST_FILE + 1), f"has more than {LARGEST_FILE} bytes in"),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_is_wrong_with_a_file_is_told_in_one_sentence_without_its_words(case, secret):
    raw, sentence = WRONG[case]
    secret.write_bytes(raw)
    told = refusal(WITHOUT | {"ALEXANDROS_SECRET_FILE": str(secret)})
    assert told.startswith(f"ALEXANDROS_SECRET_FILE {sentence} ")
    assert str(secret) in told
    assert told.endswith(".")
    assert "a secret" not in told


def test_a_file_that_is_not_there_or_is_none_is_told(tmp_path):
    def told(path: Path) -> str:
        return refusal(WITHOUT | {"ALEXANDROS_SECRET_FILE": str(path)})

    assert told(tmp_path / "no") == (
        f"ALEXANDROS_SECRET_FILE cannot be read from {tmp_path}/no: No such file or directory."
    )
    assert told(tmp_path) == f"ALEXANDROS_SECRET_FILE names a path that is not a file: {tmp_path}."
    os.mkfifo(tmp_path / "pipe")
    assert (
        told(tmp_path / "pipe") == f"ALEXANDROS_SECRET_FILE names a path that is not a file: {tmp_path}/pipe."
    )
    assert told(Path("/dev/zero")) == "ALEXANDROS_SECRET_FILE names a path that is not a file: /dev/zero."
    assert "cannot be read" in told(tmp_path / ("x" * 5_000))


def test_a_folder_of_credentials_that_is_not_there_is_told(tmp_path):
    told = refusal(WITHOUT | {"CREDENTIALS_DIRECTORY": str(tmp_path / "no")})
    assert told == "CREDENTIALS_DIRECTORY names a folder that cannot be read: No such file or directory."


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("hunter2", "is too short: it has 7 characters"),
        ("fifteen letter.", "is too short: it has 15 characters"),
        ("x" * 40, "has only 1 different characters"),
        ("abcdefg" * 3, "has only 7 different characters"),
        ("password" * 3, "has only 7 different characters"),
        ("hunter24" * 4, "repeats the same few characters"),
        ("correct-horse-correct-horse-cor", "repeats the same few characters"),
        ("Hunter24hunter24HUNTER24", "repeats the same few characters"),
        ("wonderful1 Wonderful2 wonderful3", "repeats one word"),
        ("abcdefghijklmnopqrstuvwxyz", "is a sequence"),
        ("0123456789abcdef", "is a sequence"),
        ("zyxwvutsrqponmlk", "is a sequence"),
        ("qwertyuiopasdfghjkl", "is a sequence"),
        ("aabbccddeeffgghhii", "is a sequence"),
        ("Alexandros_secret!", "is a common password"),
        ("correct horse battery staple 1234", "is a common password"),
        ("$(cat /etc/alexandros.secret)", "is the example from the documents"),
        ("what `alexandros secret` printed once", "is the example from the documents"),
    ],
)
def test_a_secret_that_could_be_guessed_is_refused_with_what_to_do(text, wrong):
    for name in ("ALEXANDROS_SECRET", "ALEXANDROS_MAIL_SECRET"):
        said = refusal(GIVEN | {name: text})
        assert said.startswith(f"{name} {wrong}; it should be at least 16 characters, 8 of them different,")
        assert "`alexandros secret` makes them" in said
        assert text not in said


@pytest.mark.parametrize(
    "text",
    [
        "nobody guesses this one",
        "a secret of more than sixteen letters",
        "8f14e45fceea167a5a36dedd4bea2543",
        "tr0ub4dor&3-and-more",
        "één geheim dat niemand raadt",
        "password 8f14e45fceea167a5a36",
    ],
)
def test_other_secrets_are_taken(text):
    assert read(secret=text).secret.get_secret_value() == text


def test_several_secrets_are_told_apart_by_commas():
    one, other = make_secret(), make_secret()
    assert read(secret=one).secrets == (one.encode(),)
    assert read(secret=f"{one}, {other}").secrets == (one.encode(), other.encode())


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("nobody guesses this one,hunter2", "is too short: it has 7 characters (number 2 of 2)"),
        ("nobody guesses this one,", "is too short: it has 0 characters (number 2 of 2)"),
        ("abcdefghijklmnopqrstuvwxyz, nobody guesses this one", "is a sequence (number 1 of 2)"),
        (f"nobody guesses this one,{'x' * 40},another", "has only 1 different characters (number 2 of 3)"),
    ],
)
def test_each_of_several_secrets_is_checked(text, wrong):
    said = refusal(GIVEN | {"ALEXANDROS_SECRET": text})
    assert said.startswith(f"ALEXANDROS_SECRET {wrong}; it should be at least 16 characters")


@pytest.mark.parametrize(
    ("text", "network"),
    [
        ("192.0.2.0", "192.0.2.0/24"),
        ("192.0.2.255", "192.0.2.0/24"),
        ("192.0.3.1", "192.0.3.0/24"),
        ("2001:db8::1", "2001:db8::/48"),
        ("2001:db8:0:ffff::1", "2001:db8::/48"),
        ("2001:db8:1::1", "2001:db8:1::/48"),
        ("fe80::1%2", "fe80::/48"),
        ("::ffff:192.0.2.7", "192.0.2.0/24"),
        ("::1", "::/48"),
        ("localhost", "localhost"),
        ("", ""),
    ],
)
def test_the_network_of_an_address(text, network):
    assert network_of(text) == network


def test_what_lies_within_one_house():
    inside = ["127.9.9.9", "10.1.1.1", "172.31.0.1", "192.168.1.1", "::1", "fd00::1", "::ffff:10.0.0.1"]
    outside = ["192.0.2.1", "172.32.0.1", "2001:db8::1", "::2"]
    found = [is_within(address, INTERNAL) for text in inside + outside if (address := parse_address(text))]
    assert found == [True] * len(inside) + [False] * len(outside)


def test_a_secret_that_is_made_is_always_taken() -> None:
    for _ in range(2000):
        check_secret(make_secret())
