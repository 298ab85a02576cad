"""What the files of config/ say of one another is so: settings, ports, paths, users and names agree."""

import json
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy.engine import make_url

from emails.replies.screening import LARGEST_ACCEPTED
from server.app import MAIL
from server.connections import FILES_OF_OTHERS, ConnectionLimits
from server.delivery.sending import send_due_letters
from server.loops import STOPPING_TAKES
from server.network import read_networks
from server.settings import PREFIX, Settings, name_for_libpq
from server.store.states import EVERY_ROLE
from tests.deployment.shipped import (
    CONFIG,
    UNITS,
    environment_file,
    postfix,
    text,
    unit,
    with_changes,
    words,
    yaml_of,
)
from tests.judges.court import program
from tests.paths import TOP
from tests.server.desk import NOON, Collector, desk

SECRET = "a secret of more than sixteen letters"
MOST_EXPOSED = 2.0
ADDED_ON_THE_WAY = 16_000
"""Bytes: what a mail server writes above a mail, its own line and the verdicts of others."""
LONGEST_FILE = 300


def read(given: dict[str, str]) -> Settings:
    """Settings with a secret; which databases there are is told elsewhere."""
    return Settings.read(given | {f"{PREFIX}DATABASE": "sqlite:////x.db", f"{PREFIX}SECRET": SECRET})


@pytest.fixture
def settings() -> Settings:
    return read(environment_file())


FOLDERS = ("containers", "mail", "monitoring", "postgresql", "systemd", "web")
"""Where files are that are written by hand for other programs."""
FILES = sorted(file for folder in FOLDERS for file in (CONFIG / folder).rglob("*") if file.is_file())


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.relative_to(CONFIG).as_posix())
def test_a_file_is_short_says_what_it_is_for_and_names_only_settings_that_there_are(file) -> None:
    written = file.read_text("utf-8")
    assert len(written.splitlines()) <= LONGEST_FILE
    assert file.suffix in (".html", ".json", ".md") or re.match(r"(#!/bin/sh\n)?[#;] \S.{20}", written)
    named = set(re.findall(rf"\b{PREFIX}(\w+?)(?:_FILE)?\b", written))
    assert named <= {name.upper() for name in Settings.model_fields}


@pytest.mark.parametrize("folder", ["containers", "mail"])
def test_the_readme_of_a_folder_names_each_of_its_files(folder: str) -> None:
    listed = set(re.findall(r"^- \[[^]]+\]\(([^)]+)\)", text(f"{folder}/README.md"), re.MULTILINE))
    assert listed == {file.name for file in (CONFIG / folder).iterdir() if file.is_file()} - {"README.md"}


def test_the_units_fit_the_program() -> None:
    service = unit("alexandros.service")["Service"]
    assert service["Type"] == "notify"
    assert int(service["TimeoutStopSec"]) > STOPPING_TAKES
    assert int(service["LimitNOFILE"]) >= 2 * ConnectionLimits().most + FILES_OF_OTHERS
    sockets = service["Sockets"].split()
    assert set(sockets) == {file.name for file in UNITS.glob("*.socket")}
    assert {unit(name)["Socket"]["FileDescriptorName"] for name in sockets} == {"pages", MAIL}


def test_the_units_fit_the_settings_beside_them(settings: Settings) -> None:
    service = unit("alexandros.service")["Service"]
    pages, mail = (unit(name)["Socket"]["ListenStream"] for name in service["Sockets"].split())
    assert pages == str(settings.listen)

    assert (mail, settings.mail_in.lmtp) == (str(settings.mail_in.at), True)
    assert service["EnvironmentFile"] in text("systemd/settings.env").splitlines()[0]
    database = make_url(environment_file()[f"{PREFIX}DATABASE"]).database
    assert database
    assert database.startswith(f"/var/lib/{service['StateDirectory']}/")
    handed, _, _ = service["LoadCredential"].partition(":")
    assert handed == f"{PREFIX}SECRET"
    assert handed not in environment_file()
    command = service["ExecStart"].removesuffix(" serve")
    typed = text("systemd/alexandros")
    assert f'-p LoadCredential={service["LoadCredential"]} {command} "$@"' in typed
    assert f"--uid={service['User']} -p EnvironmentFile={service['EnvironmentFile']} " in typed


def analyze(*arguments: object) -> subprocess.CompletedProcess[str]:
    command = [program("systemd-analyze", package="systemd"), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, env={"LC_ALL": "C.UTF-8"}, timeout=60)


def exposure(folder: Path, service: str) -> float:
    """How exposed systemd finds a unit, from 0 to 10."""
    (folder / "alexandros.service").write_text(service)
    told = analyze("security", "--offline=true", "--no-pager", folder / "alexandros.service")
    found = re.search(r"exposure level for \S+ ([0-9.]+)", told.stdout)
    assert found, told.stdout + told.stderr
    return float(found[1])


def test_the_service_is_exposed_to_little(tmp_path, record_property) -> None:
    found = exposure(tmp_path, text("systemd/alexandros.service"))
    record_property("figure", f"exposure of the unit: {found}")
    assert found <= MOST_EXPOSED


def test_a_unit_for_each_role_is_made_of_it(tmp_path) -> None:
    whole = text("systemd/alexandros.service")
    (tmp_path / "alexandros.service").write_text(whole)
    [command] = re.findall(r"<!-- role -->\n```sh\n(.*)\n```", text("postgresql.md"))
    subprocess.run(["sh", "-eu", "-c", command], cwd=tmp_path, check=True)
    made = (tmp_path / "alexandros@.service").read_text()
    changed = set(whole.splitlines()) ^ set(made.splitlines())
    assert {line.partition("=")[0] for line in changed} == {"ExecStart", "Sockets"}
    assert re.search(r"^ExecStart=/srv/\S+ serve --only %i$", made, re.MULTILINE)
    assert exposure(tmp_path, made) <= MOST_EXPOSED
    begun = text("postgresql.md").partition("systemctl enable --now ")[2].partition("`")[0].split()
    assert {one.removeprefix("alexandros@") for one in begun} == {str(one) for one in EVERY_ROLE}


OUR_UNITS = ("alexandros.service", "alexandros.socket", "alexandros-mail.socket")


def test_systemd_finds_nothing_wrong_in_the_units(tmp_path) -> None:
    """Where their program is there."""
    command = tmp_path / "alexandros"
    command.write_text("#!/bin/sh\n")
    command.chmod(0o755)
    assert {file.name for file in UNITS.glob("alexandros*.*")} == set(OUR_UNITS)
    for name in OUR_UNITS:
        written = (UNITS / name).read_text().replace("/srv/alexandros/.venv/bin/alexandros", str(command))
        (tmp_path / name).write_text(written)
    told = analyze("verify", "--man=no", *(tmp_path / name for name in OUR_UNITS))
    assert (told.returncode, told.stderr) == (0, "")


def test_web_servers_ask_where_the_pages_are(settings: Settings) -> None:
    assert re.findall(r"^    server (\S+);", text("web/nginx.conf"), re.MULTILINE) == [str(settings.listen)]
    assert f"reverse_proxy {{$UPSTREAM:{settings.listen}}} {{" in text("web/Caddyfile")
    host = settings.base_url.removeprefix("https://")
    assert set(re.findall(r"server_name (\S+);", text("web/nginx.conf"))) == {host}
    assert f"\n{host} {{\n" in text("web/Caddyfile")
    assert yaml_of("monitoring/prometheus.yaml")["scrape_configs"] == [
        {"job_name": "alexandros", "static_configs": [{"targets": [str(settings.listen)]}]}
    ]


def test_postfix_brings_mail_to_our_listener_and_takes_our_letters(settings: Settings) -> None:
    main = postfix()

    assert main["relay_transport"] == f"lmtp:inet:{settings.mail_in.at}"
    assert main["relay_domains"] == main["myorigin"] == settings.mail_domain
    assert main["myhostname"] == settings.mail_authserv
    assert settings.mail_out.at.host in main["mynetworks"]
    assert int(main["message_size_limit"]) + ADDED_ON_THE_WAY < LARGEST_ACCEPTED
    assert not settings.operator.endswith(f"@{settings.mail_domain}")


def test_a_second_machine_is_where_the_others_ask_for_it(settings: Settings) -> None:
    lines = re.findall(rf"^{PREFIX}\w+=\S+$", text("machines.md"), re.MULTILINE)
    second = Settings.read(
        environment_file() | {f"{PREFIX}SECRET": SECRET} | dict(one.split("=", 1) for one in lines)
    )
    assert f"    # server {second.listen};\n" in text("web/nginx.conf")
    assert f'UPSTREAM="{settings.listen} {second.listen}"' in text("machines.md")

    assert f"# relay_transport = {postfix()['relay_transport']}, {second.mail_in.at}\n" in text(
        "mail/main.cf"
    )
    assert str(second.listen.host) not in map(str, second.trusted_proxies)
    assert (second.mail_out.at.host, second.mail_out.at.port) == (str(second.trusted_proxies[0][0]), 25)
    assert "inet_interfaces" not in postfix(), "it listens at every address"
    assert f"# mynetworks = {postfix()['mynetworks']} {second.listen.host}/32\n" in text("mail/main.cf")
    signs = postfix()["non_smtpd_milters"]
    assert f"# smtpd_milter_maps = inline:{{{second.listen.host}={signs}}}\n" in text("mail/main.cf")
    signed = words("mail/opendkim.conf")["InternalHosts"]
    assert f"# InternalHosts         {signed},{second.listen.host}\n" in text("mail/opendkim.conf")
    hosts = name_for_libpq(second.database)["host"].split(",")
    assert f"listen_addresses = 'localhost, {hosts[0]}'\n" in text("postgresql/replication.conf")
    assert f'"host={hosts[0]} user=standby ' in text("machines.md")


def test_the_filters_listen_where_postfix_asks_and_sign_as_who_is_believed(settings: Settings) -> None:
    main, dkim, dmarc = postfix(), words("mail/opendkim.conf"), words("mail/opendmarc.conf")
    signs, judges = (one["Socket"].split("@")[0].replace(":", ":127.0.0.1:") for one in (dkim, dmarc))
    assert main["smtpd_milters"].split(", ") == [signs, judges]
    assert main["non_smtpd_milters"].split(", ") == [signs], "nothing leaves unsigned"
    assert main["milter_default_action"] == "tempfail"
    names = {dkim["AuthservID"], dmarc["AuthservID"], dmarc["TrustedAuthservIDs"]}
    assert names == {settings.mail_authserv}
    assert dkim["Domain"] == settings.mail_domain
    assert dkim["Selector"] == settings.mail_selector
    assert "s" in dkim["Mode"]
    assert "v" in dkim["Mode"]


def test_the_records_name_the_same_machine_and_key(settings: Settings) -> None:
    zone, main, dkim = text("mail/dns.zone"), postfix(), words("mail/opendkim.conf")
    assert f"$ORIGIN {settings.mail_domain}.\n" in zone
    assert re.search(rf"^@ +IN MX +10 {main['myhostname']}\.$", zone, re.MULTILINE)
    assert re.search(rf'^{dkim["Selector"]}\._domainkey +IN TXT +"v=DKIM1;', zone, re.MULTILINE)
    assert re.search(r'^_dmarc +IN TXT +"v=DMARC1; p=quarantine;', zone, re.MULTILINE)
    assert re.search(r'^@ +IN TXT +"v=spf1 mx -all"$', zone, re.MULTILINE)
    assert all(len(line.partition("IN TXT")[2].strip().strip('"')) <= 255 for line in zone.splitlines())
    key = f"{dkim['KeyFile'].rpartition('/')[0]}/{dkim['Selector']}.private"
    assert key == dkim["KeyFile"]


def test_caddy_takes_its_file(tmp_path) -> None:
    caddy = program("caddy", package="caddy")
    home = {"HOME": str(tmp_path), "PATH": "/usr/bin:/bin"}
    for name, changes in {"good": {}, "wrong": {"reverse_proxy": "reverse_prox"}}.items():
        (tmp_path / name).write_text(with_changes("web/Caddyfile", changes))
        asked = [caddy, "adapt", "--config", str(tmp_path / name), "--adapter", "caddyfile"]
        told = subprocess.run(asked, capture_output=True, env=home)
        assert (told.returncode == 0) == (name == "good"), told.stderr


COMPOSED: dict[str, Any] = yaml_of("containers/compose.yaml")
SERVICES: dict[str, Any] = COMPOSED["services"]
SERVER = SERVICES["server"]
IMAGE = text("containers/Containerfile")
GUIDE = text("containers/README.md")
POSTGRESQL_OF = {"bookworm": "15", "trixie": "17"}
"""The version that each release of Debian brings, by its name."""


def instructions(word: str) -> list[str]:
    """What stands behind an instruction of the image, its lines joined."""
    joined = IMAGE.replace("\\\n", " ")
    return [" ".join(found.split()) for found in re.findall(rf"^{word} (.+)$", joined, re.MULTILINE)]


def settings_of(**others: str) -> Settings:
    """The settings that the server is given besides those that are files."""
    given = {name: value for name, value in SERVER["environment"].items() if not name.endswith("_FILE")}
    return read(given | {f"{PREFIX}{name}": value for name, value in others.items()})


def test_the_settings_of_the_server_are_read() -> None:
    given = SERVER["environment"]
    assert all(isinstance(value, str) for value in given.values())
    settings = settings_of(MAIL_OUT="smtps://user:password@smtp.example.org:465")
    assert settings.base_url.startswith("https://")
    assert not {f"{PREFIX}{name}" for name in ("SECRET", "DATABASE", "MAIL_OUT", "MAIL_SECRET")} & {*given}


def test_ports_agree() -> None:
    settings = settings_of(MAIL_OUT="local")

    assert instructions("EXPOSE") == [f"{settings.listen.port} {settings.mail_in.at.port}"]
    assert SERVER["ports"] == [f"25:{settings.mail_in.at.port}"]
    assert SERVICES["web"]["environment"]["UPSTREAM"] == f"server:{settings.listen.port}"
    assert f"http://127.0.0.1:{settings.listen.port}/livez" in instructions("HEALTHCHECK")[0]
    assert f"ALEXANDROS_LISTEN=0.0.0.0:{settings.listen.port}" in instructions("ENV")[0]


def test_the_web_server_alone_is_believed_who_asks() -> None:
    (trusted,) = read_networks(SERVER["environment"]["ALEXANDROS_TRUSTED_PROXIES"])
    (network,) = read_networks(COMPOSED["networks"]["front"]["ipam"]["config"][0]["subnet"])
    assert read_networks(SERVICES["web"]["networks"]["front"]["ipv4_address"]) == (trusted,)
    assert trusted.subnet_of(network)  # type: ignore[arg-type]


def test_the_server_alone_reaches_the_database() -> None:
    reaching = {name for name, service in SERVICES.items() if "back" in service["networks"]}
    assert reaching == {"server", "database"}
    assert COMPOSED["networks"]["back"] == {"internal": True}
    assert "ports" not in SERVICES["database"]


def test_the_address_of_the_database_names_its_service() -> None:
    (line,) = re.findall(r'echo "(postgresql.+)" >secrets/database$', GUIDE, re.MULTILINE)
    url = make_url(line.replace("$(cat secrets/database_password)", "password"))
    given = SERVICES["database"]["environment"]
    assert url.drivername == "postgresql+psycopg"
    assert (url.host, url.username) == ("database", given["POSTGRES_USER"])
    assert url.database == given["POSTGRES_DB"]
    assert SERVER["depends_on"]["database"]["condition"] == "service_healthy"


def test_the_database_is_of_the_version_that_is_tested_and_that_the_backups_are_made_for() -> None:
    (composed,) = re.findall(r"/postgres:(\d+)$", SERVICES["database"]["image"])
    (tested,) = re.findall(r"PostgreSQL \((\d+) is tested\)", text("postgresql.md"))
    releases = {one.split(" ")[0].rpartition("-")[2] for one in instructions("FROM")}
    assert {POSTGRESQL_OF[one] for one in releases} == {composed} == {tested}
    for name in ("alexandros.conf", "pg_hba.conf"):
        assert text(f"postgresql/{name}").startswith(f"# /etc/postgresql/{tested}/main/")


def test_each_secret_is_a_file_that_the_guide_makes_and_that_is_read_where_it_is_mounted() -> None:
    secrets = COMPOSED["secrets"]
    used = [(name, service) for name, service in SERVICES.items() if "secrets" in service]
    assert {one for _, service in used for one in service["secrets"]} == secrets.keys()
    for _, service in used:
        read_there = {value for key, value in service["environment"].items() if key.endswith("_FILE")}
        assert read_there == {f"/run/secrets/{one}" for one in service["secrets"]}
    for name, where in secrets.items():
        assert where == {"file": f"./secrets/{name}"}
        assert f">secrets/{name}" in GUIDE
    user = instructions("USER")[0].split(":")[0]
    owned = re.search(rf"^chown {user} (.+)$", GUIDE, re.MULTILINE)
    assert owned
    assert set(owned[1].split()) == {f"secrets/{one}" for one in SERVER["secrets"]}
    assert "config/containers/secrets/" in (TOP / ".gitignore").read_text().splitlines()


def test_the_image_has_what_is_copied_and_a_user_that_owns_its_folder() -> None:
    user = instructions("USER")[0].split(":")[0]
    (made,) = [line for line in instructions("RUN") if "useradd" in line]
    assert f"--uid {user} " in made
    (folder,) = instructions("VOLUME")
    assert f"--home-dir {folder} " in made
    assert SERVER["volumes"] == [f"games:{folder}"]
    (build, *_), venv = instructions("RUN"), "/srv/alexandros/.venv"
    assert f"python -m venv {venv}" in build
    assert instructions("ENTRYPOINT") == [json.dumps([f"{venv}/bin/alexandros"])]
    assert "-c config/constraints.txt" in build
    kept = re.findall(r"^!(\S+)$", text("containers/Containerfile.dockerignore"), re.MULTILINE)
    assert all((TOP / name).exists() for name in kept)
    assert {"config", "emails", "engine", "server", "pyproject.toml"} <= set(kept)


def test_what_is_named_is_there_and_it_may_end_in_peace() -> None:
    build = SERVER["build"]
    assert (CONFIG / "containers" / build["context"]).resolve() == TOP.resolve()
    assert (TOP / build["dockerfile"]).is_file()
    for service in SERVICES.values():
        for mounted in service["volumes"]:
            source = mounted.split(":")[0]
            known = source in COMPOSED["volumes"]
            assert known or (CONFIG / "containers" / source).is_file(), source
        assert set(service["networks"]) <= COMPOSED["networks"].keys()
    assert int(SERVER["stop_grace_period"].removesuffix("s")) > STOPPING_TAKES
    assert SERVER["ulimits"]["nofile"] >= 2 * ConnectionLimits().most + FILES_OF_OTHERS
    assert SERVER["cap_drop"] == ["ALL"]


NEVER_SIGNED = {"x-auto-response-suppress", "x-alexandros", "return-path"}
"""What others may change on the way, and nobody reads for the way out."""


def listed(key: str) -> set[str]:
    return {name.lower() for name in words("mail/opendkim.conf")[key].split(",")}


@pytest.fixture(scope="module")
def letters(tmp_path_factory):
    context = desk(tmp_path_factory.mktemp("letters"), ALEXANDROS_BASE_URL="https://alexandros.example.org")
    context.start_game("Anna", "Ben")
    carrier = Collector()
    send_due_letters(context, carrier, NOON)
    assert carrier.mails
    return carrier.mails


def test_both_headers_of_the_way_out_are_signed_and_cannot_be_added() -> None:
    both = {"list-unsubscribe", "list-unsubscribe-post"}
    assert both <= listed("SignHeaders")
    assert both <= listed("OversignHeaders") <= listed("SignHeaders")


def test_every_header_of_a_letter_is_signed(letters) -> None:
    for mail in letters:
        names = {name.lower() for name in mail}
        assert {"list-unsubscribe", "list-unsubscribe-post", "feedback-id"} <= names
        assert names - NEVER_SIGNED <= listed("SignHeaders")


def test_what_providers_count_by_is_the_kind_of_a_letter_and_nothing_of_its_reader(letters) -> None:
    for mail in letters:
        kind, _, sender = mail["Feedback-ID"].partition(":")
        assert (kind, sender) == (mail["X-Alexandros"], "alexandros")
        assert 5 <= len(sender) <= 15
