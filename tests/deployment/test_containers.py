"""The image and the composed services: what one file says of another is so."""

import json
import re
from typing import Any

from sqlalchemy.engine import make_url

from server.configuration.network import ListenEndpoint, read_networks
from server.configuration.settings import PREFIX
from server.connections import FILES_OF_OTHERS, ConnectionLimits
from server.loops import STOPPING_TAKES
from tests.deployment.shipped import CONFIG, text, yaml_of
from tests.deployment.test_agreement import read
from tests.paths import TOP

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


def test_the_settings_of_the_server_are_read() -> None:
    given = SERVER["environment"]
    assert all(isinstance(value, str) for value in given.values())
    as_files = {name for name in given if name.endswith("_FILE")}
    settings = read(
        {name: value for name, value in given.items() if name not in as_files}
        | {f"{PREFIX}MAIL_OUT": "smtps://user:password@smtp.example.org:465"}
    )
    assert settings.base_url.startswith("https://")
    assert (
        not {f"{PREFIX}{name}" for name in ("SECRET", "DATABASE", "MAIL_OUT", "MAIL_SECRET")} & given.keys()
    )


def test_ports_agree() -> None:
    settings = read({n: v for n, v in SERVER["environment"].items() if not n.endswith("_FILE")} | MAIL_OUT)
    assert isinstance(settings.mail_in, ListenEndpoint)
    assert instructions("EXPOSE") == [f"{settings.listen.port} {settings.mail_in.at.port}"]
    assert SERVER["ports"] == [f"25:{settings.mail_in.at.port}"]
    assert SERVICES["web"]["environment"]["UPSTREAM"] == f"server:{settings.listen.port}"
    assert f"http://127.0.0.1:{settings.listen.port}/livez" in instructions("HEALTHCHECK")[0]
    assert f"ALEXANDROS_LISTEN=0.0.0.0:{settings.listen.port}" in instructions("ENV")[0]


MAIL_OUT = {f"{PREFIX}MAIL_OUT": "local"}


def test_the_web_server_alone_is_believed_who_asks() -> None:
    (trusted,) = read_networks(SERVER["environment"]["ALEXANDROS_TRUSTED_PROXIES"])
    (network,) = read_networks(COMPOSED["networks"]["front"]["ipam"]["config"][0]["subnet"])
    address = SERVICES["web"]["networks"]["front"]["ipv4_address"]
    assert read_networks(address) == (trusted,)
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
    assert (url.host, url.username, url.database) == (
        "database",
        given["POSTGRES_USER"],
        given["POSTGRES_DB"],
    )
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
