"""Commands about mail: take one in, see whose letters come back, write every letter into a folder."""

from __future__ import annotations

import sys
from contextlib import suppress
from pathlib import Path

import click

from server.commands.console import Sorry, example, opened_context

EXIT_TRY_LATER = 75
"""The exit status that tells a mail server to try again later (EX_TEMPFAIL of sysexits.h)."""
EXIT_NO_SUCH_USER = 67
"""The exit status that tells it there is no such address (EX_NOUSER)."""


@click.command(epilog=example('receive --to "$RECIPIENT" --from "$SENDER" <mail.eml'))
@click.option(
    "--to", "recipient", default="", help="The envelope recipient; else the mail's own headers tell."
)
@click.option("--from", "sender", default=None, help="The envelope sender; else Return-Path or From tells.")
def receive(recipient: str, sender: str | None) -> None:
    """Take in a mail on standard input, as from a mail server's pipe, and answer it."""
    try:
        from server.delivery import outgoing
        from server.delivery.local_mailbox import choose_transport
        from server.inbox import incoming, intake, recipients
        from server.store.context import utc_now

        raw = sys.stdin.buffer.read(intake.MOST_BYTES_KEPT)
        while sys.stdin.buffer.read(intake.MOST_BYTES_KEPT):
            pass  # a mail server may take it ill that nobody hears it out
        with opened_context() as context:
            named = intake.find_recipients(raw, recipient, context.settings.mail_domain)
            addresses = [address for address in named if recipients.is_deliverable(context, address)]
            for address in addresses:
                intake.store_mail(context, intake.find_envelope_sender(raw, sender), address, raw, utc_now())
    except Sorry as error:
        error.show()
        sys.exit(EXIT_TRY_LATER)
    except Exception as error:  # with any other status the mail server would send the mail back
        click.echo(f"alexandros: the mail cannot be stored now: {type(error).__name__}", err=True)
        sys.exit(EXIT_TRY_LATER)
    if not addresses:
        click.echo("alexandros: the mail names no address of ours; --to gives the envelope's", err=True)
        sys.exit(EXIT_NO_SUCH_USER)
    with suppress(Exception):  # it is stored; what is not done now is done by the server that runs
        incoming.process_waiting_mail(context, utc_now())
        outgoing.send_due_letters(context, choose_transport(context, utc_now), utc_now())


@click.command(epilog=example("failing"))
def failing() -> None:
    """List the addresses from which letters come back: since when, of whom, in which games, and why."""
    from server.accounts.undeliverable import list_bouncing_addresses

    with opened_context() as context, context.reading() as session:
        for one in list_bouncing_addresses(session):
            since = f"since {one.since:%Y-%m-%d %H:%M} UTC"
            click.echo(f"{one.address}  {since}  {', '.join(one.games)}  {one.why}".rstrip())


@click.command(epilog=example("understood"))
def understood() -> None:
    """Count the mails that could not be read whole, by what they seemed to be and what was chosen."""
    from server.admin.understood import count_understood

    with opened_context() as context, context.reading() as session:
        for one in count_understood(session):
            chosen = ", ".join(f"{number}: {times}" for number, times in one.chosen) or "none"
            click.echo(f"{one.kind}  {one.mails} mails  {one.asked} asked  chosen {chosen}")


@click.command(epilog=example("letters every-letter"))
@click.argument("folder")
def letters(folder: str) -> None:
    """Write every kind of letter, in every language, into FOLDER: mail, text, HTML and pictures."""
    if not folder.strip():
        raise Sorry("the folder for the letters needs a name")
    from emails.gallery import letter_files
    from server.store.boards import load_boards

    target = Path(folder)
    written = 0
    try:
        target.mkdir(parents=True, exist_ok=True)
        for name, data in letter_files.render_files(load_boards()["Alexandros"]):
            (target / name).write_bytes(data)
            written += 1
    except FileExistsError:
        raise Sorry(f"{folder} cannot be written: there is a file of that name") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise Sorry(f"{getattr(error, 'filename', None) or folder} cannot be written: {reason}") from None
    click.echo(f"{written} files written to {folder}")
