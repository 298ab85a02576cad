"""Settings in files: the credentials of systemd and the secrets of containers, and what can be wrong."""

import os
from pathlib import Path

import pytest

from server.configuration.settings import LARGEST_FILE, PREFIX, Settings, SettingsError
from tests.server.test_settings import GIVEN, SECRET, refusal

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


def test_a_setting_stands_in_a_file_that_is_named(secret: Path) -> None:
    settings = Settings.read(WITHOUT | {"ALEXANDROS_SECRET_FILE": str(secret)})
    assert settings.secret.get_secret_value() == OTHER


def test_a_credential_of_systemd_is_read_by_its_name_and_no_other_file(credentials: Path) -> None:
    settings = Settings.read(WITHOUT | {"CREDENTIALS_DIRECTORY": str(credentials)})
    assert settings.secret.get_secret_value() == OTHER


def test_every_setting_can_stand_in_a_file(tmp_path: Path) -> None:
    for name, text in GIVEN.items():
        (tmp_path / name).write_text(f"  {text}\r\n")
    assert Settings.read({"CREDENTIALS_DIRECTORY": str(tmp_path)}) == Settings.read(GIVEN)
    named = {f"{name}_FILE": str(tmp_path / name) for name in GIVEN}
    assert Settings.read(named) == Settings.read(GIVEN)
    assert not [name for name in Settings.model_fields if name.endswith("_file")]


def test_an_empty_variable_names_no_file(secret: Path) -> None:
    empty = {"ALEXANDROS_SECRET_FILE": "", "CREDENTIALS_DIRECTORY": ""}
    assert Settings.read(GIVEN | empty).secret.get_secret_value() == SECRET
    filed = WITHOUT | {"ALEXANDROS_SECRET": " ", "ALEXANDROS_SECRET_FILE": str(secret)}
    assert Settings.read(filed).secret.get_secret_value() == OTHER


def test_what_is_given_twice_is_refused_with_both_ways(secret: Path, credentials: Path) -> None:
    named = {"ALEXANDROS_SECRET_FILE": str(secret)}
    assert refusal(GIVEN | named) == (
        "ALEXANDROS_SECRET is given twice, by ALEXANDROS_SECRET and by ALEXANDROS_SECRET_FILE; take one away."
    )
    assert refusal(WITHOUT | named | {"CREDENTIALS_DIRECTORY": str(credentials)}) == (
        "ALEXANDROS_SECRET is given twice, by ALEXANDROS_SECRET_FILE and by the credential"
        " ALEXANDROS_SECRET; take one away."
    )


def test_a_file_of_what_is_no_setting_is_refused_with_what_was_meant(secret: Path) -> None:
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
def test_what_is_wrong_with_a_file_is_told_in_one_sentence_without_its_words(case: str, secret: Path) -> None:
    raw, sentence = WRONG[case]
    secret.write_bytes(raw)
    told = refusal(WITHOUT | {"ALEXANDROS_SECRET_FILE": str(secret)})
    assert told.startswith(f"ALEXANDROS_SECRET_FILE {sentence} ")
    assert str(secret) in told
    assert told.endswith(".")
    assert "a secret" not in told


def test_the_largest_file_is_read(secret: Path) -> None:
    secret.write_bytes(OTHER.encode().ljust(LARGEST_FILE))
    settings = Settings.read(WITHOUT | {"ALEXANDROS_SECRET_FILE": str(secret)})
    assert settings.secret.get_secret_value() == OTHER


def test_a_file_that_is_not_there_or_is_none_is_told(tmp_path: Path) -> None:
    def told(path: Path) -> str:
        return refusal(WITHOUT | {"ALEXANDROS_SECRET_FILE": str(path)})

    assert told(tmp_path / "no") == (
        f"ALEXANDROS_SECRET_FILE cannot be read from {tmp_path}/no: No such file or directory."
    )
    assert told(tmp_path) == f"ALEXANDROS_SECRET_FILE names what is not a file: {tmp_path}."
    os.mkfifo(tmp_path / "pipe")
    assert told(tmp_path / "pipe") == f"ALEXANDROS_SECRET_FILE names what is not a file: {tmp_path}/pipe."
    assert told(Path("/dev/zero")) == "ALEXANDROS_SECRET_FILE names what is not a file: /dev/zero."
    assert "cannot be read" in told(tmp_path / ("x" * 5_000))


def test_a_folder_of_credentials_that_is_not_there_is_told(tmp_path: Path) -> None:
    told = refusal(WITHOUT | {"CREDENTIALS_DIRECTORY": str(tmp_path / "no")})
    assert told == "CREDENTIALS_DIRECTORY names a folder that cannot be read: No such file or directory."


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
def test_a_file_that_may_not_be_read_is_told(secret: Path) -> None:
    secret.chmod(0)
    child = os.fork()
    if not child:
        code = 1
        try:
            os.setuid(65534)
            Settings.read(WITHOUT | {f"{PREFIX}SECRET_FILE": str(secret)})
        except SettingsError as error:
            code = 0 if "Permission denied" in str(error) else 2
        finally:
            os._exit(code)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
