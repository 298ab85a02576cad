"""What the guide tells an operator to paste, run in a root of its own: set up, upgraded, moved, backed up.

The root has the programs of this machine, read-only, and an /etc, /srv and /var with nothing of ours, in a
network that nobody else is in. Of systemd only the check of units runs; what needs a network or an init, apt,
certbot, systemctl and systemd-run, is stood for by the scripts in `STAND_INS`. What pip would fetch is found
where the tests run.
"""

import os
import re
import shlex
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from tests.deployment.shipped import block
from tests.deployment.test_wheel import NUMBER, copy_sources, variables_for_pip
from tests.judges.court import missing, program
from tests.post.town import PATIENCE

pytestmark = pytest.mark.breadth

STAND_INS = {
    "python3": f'exec {Path(sys.base_prefix, "bin", f"python3.{sys.version_info[1]}")} "$@"\n',
    "apt-get": "",
    "certbot": """
while [ "$1" != --domain ]; do shift; done
mkdir -p "/etc/letsencrypt/live/$2" && cd "/etc/letsencrypt/live/$2"
openssl req -x509 -newkey rsa:2048 -nodes -subj "/CN=$2" -keyout privkey.pem -out fullchain.pem 2>/dev/null
nginx
""",
    "systemd-run": """
while [ "${1#-}" != "$1" ]; do
    case "$1" in --uid=*) user="${1#--uid=}" ;; -p) shift; eval "${1%%=*}='${1#*=}'" ;; esac
    shift
done
set -a; . "$EnvironmentFile"; set +a
export "${LoadCredential%%:*}=$(cat "${LoadCredential#*:}")"
cd / && exec setpriv --reuid "$user" --regid "$user" --init-groups "$@"
""",
    "systemctl": """
case "$*" in *nginx) nginx -t -q && exec nginx -s reload ;; esac
unit() { sed -n "s/^$1=//p" /etc/systemd/system/alexandros.service; }
case "$1" in
stop | disable)
    [ -e /run/alexandros.pid ] || exit 0
    kill "$(cat /run/alexandros.pid)" && tail --pid="$(cat /run/alexandros.pid)" -f /dev/null
    rm /run/alexandros.pid ;;
start | enable)
    faults=$(systemd-analyze verify --man=no /etc/systemd/system/alexandros.s* 2>&1)
    [ -z "$faults" ] || { echo "$faults" >&2; exit 1; }
    user=$(unit User)
    install -d -o "$user" -g "$user" -m "$(unit StateDirectoryMode)" "/var/lib/$(unit StateDirectory)"
    systemd-run --uid="$user" -p "EnvironmentFile=$(unit EnvironmentFile)" \\
        -p "LoadCredential=$(unit LoadCredential)" $(unit ExecStart) >>/var/log/alexandros.log 2>&1 &
    echo $! >/run/alexandros.pid
    until curl -fs http://127.0.0.1:8000/readyz; do kill -0 $! || exit 1; sleep 0.1; done ;;
esac
""",
}
"""For each command that cannot run here a shell script that does what of it the guide needs."""
ROOT = """
cd "$1"
mount -t tmpfs tmpfs .
mkdir -p dev etc/systemd/system proc root run srv tmp usr var/cache var/lib/nginx var/log/nginx
for each in /dev /proc /usr "$2" "$3" "$4"; do
    mkdir -p ".$each" && mount --rbind "$each" ".$each"
done
for each in /usr "$3" "$4"; do mount -o remount,bind,ro ".$each"; done
mount -t tmpfs tmpfs usr/local/bin && cp -a /usr/local/bin/python3* usr/local/bin || true
ln -s usr/bin usr/lib usr/lib64 usr/sbin .
for each in ld.so.cache login.defs nginx ssl; do cp -a "/etc/$each" etc/; done
grep -E '^(root|www-data|nobody):' /etc/passwd >etc/passwd
grep -E '^(root|www-data|nogroup|adm):' /etc/group >etc/group
echo 127.0.0.1 localhost >etc/hosts
ip link set lo up
exec chroot . env -i "PATH=$2/stand-ins:/usr/local/bin:/usr/sbin:/usr/bin" LC_ALL=C.UTF-8 HOME=/root \\
    "PYTHONPATH=$2/needs" "XDG_CONFIG_HOME=$2/needs" bash -e "$2/script"
"""
"""Makes the root in the first folder, with the others at their places, and runs the script of the second."""


def values(repository: Path) -> str:
    """The values that an operator writes; letters stay in the built-in mailbox."""
    own = {"REPOSITORY": str(repository), "MAIL_OUT": "local", "MAIL_IN": "none"}
    given = dict(line.split("=", 1) for line in shlex.split(block("values", "README.md"), comments=True))
    assert own.keys() < given.keys()
    return "".join(f"{name}={shlex.quote(value)}\n" for name, value in (given | own).items())


LOOK = """
look() {
    cd /var/lib/alexandros
    echo "== $1"
    alexandros --version
    curl -sk --resolve alexandros.example.org:443:127.0.0.1 https://alexandros.example.org/readyz
    python3 -c 'import sqlite3
for asked in ("name, status FROM game ORDER BY 1", "kind FROM outgoing", "name FROM moment"):
    print(*sqlite3.connect("games.db").execute(f"SELECT DISTINCT {asked}"), sep="\\n")'
}
"""


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """What the server says after each step of the guide, and a few facts between."""
    if os.geteuid() != 0 or subprocess.run(["unshare", "-mnpf", "true"], capture_output=True).returncode:
        missing("this needs root, and namespaces of its own: unshare(1)")
    for name in ("nginx", "systemd-analyze", "curl", "git", "openssl"):
        program(name, package=name)
    own = tmp_path_factory.mktemp("fresh")
    for name in ("root", "repository", "stand-ins"):
        (own / name).mkdir()
    for name, stands in STAND_INS.items():
        (own / "stand-ins" / name).write_text(f"#!/bin/bash\n{stands}")
        (own / "stand-ins" / name).chmod(0o755)
    variables_for_pip(own / "needs")
    copy_sources(own / "repository")
    (own / "script").write_text(script(own / "repository"))
    own.chmod(0o755)
    isolated = ["unshare", "-mnpf", "--kill-child", "--mount-proc", "--propagation", "private"]
    places = [own / "root", own, sys.base_prefix, sysconfig.get_path("purelib")]
    command = [*isolated, "bash", "-ec", ROOT, "bash", *places]
    told = subprocess.run(command, capture_output=True, text=True, timeout=4 * PATIENCE)
    assert told.returncode == 0, told.stdout + told.stderr
    return dict(re.findall(r"^== (.+)\n((?:(?!== ).*\n)*)", told.stdout, re.MULTILINE))


def script(repository: Path) -> str:
    """Set up, play, upgrade, move; last of all a backup comes back, which is told."""
    git = f"git -C {repository} -c user.name=Anna -c user.email=anna@example.org"
    return f"""{LOOK}
git init -q {repository}
{git} add -A
{git} commit -qm First
{values(repository)}
{block("install", "README.md")}
{block("first game", "README.md")}
alexandros new --start --name Monday --seat "Anna <anna@example.org>" --seat house:easy
look installed
stat -c '%n %U %a' /etc/alexandros /var/lib/alexandros /var/lib/alexandros/games.db

sed -i 's/^version = .*/version = "9.9.9"/' {repository}/pyproject.toml
{git} commit -qam Next
{block("upgrade", "backup.md")}
look upgraded

{block("leave", "backup.md")}
rm /var/lib/alexandros/* /etc/alexandros/*
echo 'of the new machine' | tee games.db games.db-wal >/etc/alexandros/secret
{block("arrive", "backup.md")}
look moved

alexandros backup $PWD/copy.db
systemctl stop alexandros.service
alexandros restore --replace $PWD/copy.db
look restored
"""


PLAYED = "('Friday', 'open')\n('Monday', 'running')\n"


def test_what_is_pasted_sets_a_server_up_behind_nginx_and_opens_a_game(seen: dict[str, str]) -> None:
    assert seen["installed"].startswith(f"alexandros {NUMBER}, commit ")
    assert f"\nok\n{PLAYED}" in seen["installed"]
    for line in ("/etc/alexandros root 700", "/var/lib/alexandros alexandros 700", "games.db alexandros 600"):
        assert line in seen["installed"]


def test_an_upgrade_that_is_pasted_runs_the_new_program_with_the_games(seen: dict[str, str]) -> None:
    assert seen["upgraded"].startswith("alexandros 9.9.9, commit ")
    assert f"\nok\n{PLAYED}" in seen["upgraded"]


def test_a_move_keeps_the_games_and_tells_nobody_and_as_control_a_backup_is_told(
    seen: dict[str, str],
) -> None:
    assert f"\nok\n{PLAYED}" in seen["moved"]
    assert PLAYED in seen["restored"]
    for trace in ("('message',)", "('set-back',)"):
        assert (trace in seen["moved"], trace in seen["restored"]) == (False, True)
