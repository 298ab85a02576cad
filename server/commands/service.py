"""Commands for the service: make a secret, check the setup, serve, run the demo."""

from __future__ import annotations

import gc
import logging
import secrets
import sys
import tempfile
from importlib import import_module
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

import click

from server.commands.console import CommandError, example, opened_context, print_wrapped, read_settings
from server.logs import write_json_logs
from server.roles import EVERY_ROLE, Roles, read_roles

if TYPE_CHECKING:
    from server.store.context import Context


@click.command(epilog=example("check", "check --selector mail2026"))
@click.option("--selector", default="", help="The DKIM selector (s= in a letter), in place of the setting.")
@click.option("--wrong", "wrong_only", is_flag=True, help="Print only what is wrong or unknown.")
def check(selector: str, wrong_only: bool) -> None:
    """Check every setting, the database, the relay, your DNS, the clock and the disk; nothing is changed.

    Each line says ok, wrong or ? (unknown), and below a wrong one what to do. It signs in to the relay and
    the mailbox, queries the DNS, and opens your own pages. The exit status is 1 if something is wrong.
    """
    from server.admin.setup_check import CheckResult, LiveProbes, check_database, check_setup
    from server.store.context import utc_now

    wrong = 0
    with read_settings() as settings:
        found = check_setup(settings, LiveProbes(), utc_now(), selector)
        for one in chain([check_database(settings)], found):
            wrong += one.verdict is CheckResult.WRONG
            if wrong_only and one.verdict is CheckResult.OK:
                continue
            print_wrapped(f"{one.verdict:6} {one.what}: {one.said}")
            if one.advice:
                print_wrapped(f"       do: {one.advice}")
    sys.exit(1 if wrong else 0)


def make_secret() -> str:
    """Return 256 random bits, in 43 characters that need no quoting in shells and URLs."""
    return secrets.token_urlsafe(32)


@click.command(epilog=example("secret >secret.txt"))
def secret() -> None:
    """Print a new random secret, for the settings."""
    click.echo(make_secret())


LOG = logging.getLogger(__name__)
DEMO_SEATS = ("Anna <anna@example.org>", "house:Philip", "house:Roxana")


@click.command(epilog=example("serve", "serve --only pages", "serve --only mail,letters"))
@click.option("--only", metavar="ROLES", help="Do only this work: any of pages,mail,letters,clock,house.")
def serve(only: str | None) -> None:
    """Serve the games: settings from config/settings.toml, then from the environment (ALEXANDROS_...).

    Without --only one process does all the work; with it other processes must do the rest.
    """
    try:
        roles = EVERY_ROLE if only is None else read_roles(only)
    except ValueError as error:
        raise CommandError(f"--only: {error}") from None
    _load_service()
    from server.commands.console import describe_version
    from server.store.database import SCHEMA_VERSION

    with opened_context(making=True) as context:
        write_json_logs()
        context.events.metrics.info.labels(describe_version(), SCHEMA_VERSION).set(1)
        if context.settings.mail_out is None and not context.settings.is_mailbox_shown:
            LOG.warning("letters stay on this machine, and no page shows them: see ALEXANDROS_MAIL_OUT")
        if roles == EVERY_ROLE:
            greeting = f"Alexandros is served at {context.settings.base_url}/"
        else:
            greeting = f"Alexandros at {context.settings.base_url}/ has here {', '.join(sorted(roles))}"
        _serve_until_interrupted(context, greeting, roles=roles)


@click.command(epilog=example("demo --port 8080"))
@click.option("--port", default=8000, show_default=True, type=click.IntRange(1, 65535))
def demo(port: int) -> None:
    """Play against the bots Philip and Roxana in the browser: no settings, nothing is stored."""
    _load_service()
    from emails.terms import TurnTime
    from server.configuration.settings import Settings
    from server.delivery.sending import send_due_letters
    from server.delivery.transports import choose_transport
    from server.lobby.games import NewGame, open_game
    from server.store.context import open_context, utc_now
    from server.store.game_terms import USUAL_TERMS, SeatRequest

    with tempfile.TemporaryDirectory(prefix="alexandros-") as folder:
        database = f"sqlite:///{Path(folder) / 'demo.sqlite'}"
        settings = Settings.demo(database, f"127.0.0.1:{port}", make_secret())
        context = open_context(settings)
        seats = tuple(SeatRequest.read(seat) for seat in DEMO_SEATS)
        wanted = NewGame("Demo", seats, time=TurnTime.of_hours(24 * 14), terms=USUAL_TERMS)
        open_game(context, wanted, utc_now(), at_once=True)
        send_due_letters(context, choose_transport(context, utc_now), utc_now())  # fill the mailbox
        try:
            greeting = f"Your mailbox is at http://127.0.0.1:{port}/mailbox - press Ctrl+C to stop."
            _serve_until_interrupted(context, greeting, hint="; another one can be given with --port")
        finally:
            context.database.dispose()


def _load_service() -> None:
    """Import the program without garbage collection, which would take a fifth of the start."""
    gc.disable()
    try:
        import_module("server.app")
    finally:
        gc.freeze()  # later collections skip what was imported
        gc.enable()


def _serve_until_interrupted(
    context: Context, greeting: str, hint: str = "", roles: Roles = EVERY_ROLE
) -> None:
    from server.app import PortUnavailable
    from server.app import serve as run_server

    try:
        run_server(context, lambda: click.echo(greeting), roles)
    except KeyboardInterrupt:
        return
    except PortUnavailable as error:
        raise CommandError(f"{error}{hint}") from None
