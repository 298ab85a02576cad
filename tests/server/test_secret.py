"""The secret: made strong, and refused where somebody could guess it."""

import re

import pytest
from click.testing import CliRunner

from server.cli import main
from server.configuration.settings import Settings, SettingsError, check_secret, make_secret
from tests.server.test_settings import GIVEN, read


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
def test_a_secret_that_could_be_guessed_is_refused_with_what_to_do(text: str, wrong: str) -> None:
    for name in ("ALEXANDROS_SECRET", "ALEXANDROS_MAIL_SECRET"):
        with pytest.raises(SettingsError) as refused:
            Settings.read(GIVEN | {name: text})
        said = str(refused.value)
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
def test_other_secrets_are_taken(text: str) -> None:
    assert read(secret=text).secret.get_secret_value() == text


def test_several_secrets_are_told_apart_by_commas() -> None:
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
def test_each_of_several_secrets_is_checked(text: str, wrong: str) -> None:
    with pytest.raises(SettingsError) as refused:
        read(secret=text)
    assert str(refused.value).startswith(f"ALEXANDROS_SECRET {wrong}; it should be at least 16 characters")


def test_a_secret_that_is_made_is_always_taken() -> None:
    for _ in range(2000):
        check_secret(make_secret())


def test_the_command_prints_a_new_secret_and_nothing_else() -> None:
    shown = [CliRunner().invoke(main, ["secret"]) for _ in range(2)]
    assert all(one.exit_code == 0 and not one.stderr for one in shown)
    assert all(re.fullmatch(r"[\w-]{43}\n", one.stdout, re.ASCII) for one in shown)  # 256 bits
    assert shown[0].stdout != shown[1].stdout
