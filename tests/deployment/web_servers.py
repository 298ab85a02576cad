"""nginx and Caddy set up by the files of config/, before one machine of ours or two."""

import ssl
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from http.client import HTTPConnection, HTTPSConnection
from pathlib import Path

from tests.certificates import make_certificate
from tests.deployment.shipped import CONFIG, with_changes
from tests.judges.court import program
from tests.ports import free_ports
from tests.post.town import PATIENCE, Town, running

WebServer = Callable[..., AbstractContextManager[tuple[int, bool]]]
"""nginx or Caddy: given a folder and the ports of ours, its port and whether it speaks TLS."""
AWAY = CONFIG / "web" / "away.html"
"""What a visitor is shown while no machine of ours answers."""
NGINX = """
daemon off;
master_process off;
pid {folder}/nginx.pid;
events {{ }}
http {{
client_body_temp_path {folder}/body;
proxy_temp_path {folder}/proxy;
fastcgi_temp_path {folder}/fastcgi;
uwsgi_temp_path {folder}/uwsgi;
scgi_temp_path {folder}/scgi;
{block}
}}
"""
"""What stands around our file where nginx runs for a test."""


def line_to(port: int, tls: bool, source: str = "127.0.0.1") -> HTTPConnection:
    """A connection to a web server, which is asked for no certificate that is known."""
    at, trusting = (source, 0), ssl._create_unverified_context()
    if tls:
        return HTTPSConnection("127.0.0.1", port, context=trusting, timeout=PATIENCE, source_address=at)
    return HTTPConnection("127.0.0.1", port, timeout=PATIENCE, source_address=at)


def serving(command: list[str], port: int, folder: Path) -> AbstractContextManager[None]:
    """A web server that listens at a port, with a home of its own; told to stop at the end."""
    return running(["env", f"HOME={folder}", *command], [port], Town(folder, 0, 0, 0, 0))


@contextmanager
def nginx(folder: Path, ports: Sequence[int], **changes: str) -> Iterator[tuple[int, bool]]:
    """Nginx before our servers at one port or two; its port, and that it speaks TLS.

    `changes`: what is made wrong in the file.
    """
    command = program("nginx", "/usr/sbin/nginx", package="nginx")
    make_certificate(folder, "pages")
    front, plain = free_ports(2)
    shipped = "    server 127.0.0.1:8000;", "    # server 10.0.0.12:8000;"
    here = {
        "listen 80;": f"listen 127.0.0.1:{plain};",
        "listen 443 ssl": f"listen 127.0.0.1:{front} ssl",
        "/etc/ssl/alexandros.pem": f"{folder}/pages.pem",
        "/etc/ssl/alexandros.key": f"{folder}/pages.key",
        "/var/log/nginx/": f"{folder}/",
        "/etc/nginx/away.html": str(AWAY),
        **{line: f"    server 127.0.0.1:{port};" for line, port in zip(shipped, ports, strict=False)},
    }
    file = folder / "nginx.conf"
    file.write_text(NGINX.format(folder=folder, block=with_changes("web/nginx.conf", here | changes)))
    with serving([command, "-p", str(folder), "-e", f"{folder}/start.log", "-c", str(file)], front, folder):
        yield front, True


@contextmanager
def caddy(folder: Path, ports: Sequence[int], **changes: str) -> Iterator[tuple[int, bool]]:
    (front,) = free_ports(1)
    here = {
        "{\n\tservers": "{\n\tadmin off\n\tservers",
        "alexandros.example.org {": f"http://:{front} {{",
        "root * /etc/caddy": f"root * {AWAY.parent}",
        "{$UPSTREAM:127.0.0.1:8000}": " ".join(f"127.0.0.1:{port}" for port in ports),
    }
    (folder / "Caddyfile").write_text(with_changes("web/Caddyfile", here | changes))
    command = [program("caddy", package="caddy"), "run", "--config", f"{folder}/Caddyfile"]
    with serving([*command, "--adapter", "caddyfile"], front, folder):
        yield front, False
