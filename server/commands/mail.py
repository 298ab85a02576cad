"""Commands for mail: receive a mail, list bouncing addresses, repeat what has failed."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING

import click

from server.commands.console import EXIT_BAD_INPUT, CommandError, example, opened_context, print_wrapped

if TYPE_CHECKING:
    from server.outbox.queue import UnitOfWork


EXIT_TRY_LATER = 75
"""Exit status that asks the mail server to try again later (EX_TEMPFAIL of sysexits.h)."""
EXIT_BAD_MAIL = 65
"""Exit status that refuses the mail (EX_DATAERR)."""
EXIT_NO_SUCH_USER = 67
"""Exit status for an unknown recipient (EX_NOUSER)."""


@click.command(epilog=example('receive --to "$RECIPIENT" --from "$SENDER" <mail.eml'))
@click.option("--to", "recipient", default="", help="The envelope recipient; default: from the headers.")
@click.option("--from", "sender", default=None, help="The envelope sender; default: Return-Path or From.")
def receive(recipient: str, sender: str | None) -> None:
    """Take in a mail on standard input, as from a mail server's pipe, and answer it."""
    try:
        from emails.replies.screening import LARGEST_ACCEPTED
        from server.delivery import sending
        from server.delivery.transports import choose_transport
        from server.inbox import dispatch, intake
        from server.store.context import utc_now

        raw = sys.stdin.buffer.read(LARGEST_ACCEPTED + 1)
        while sys.stdin.buffer.read(LARGEST_ACCEPTED):
            pass  # read all, or the mail server's pipe breaks
        if len(raw) > LARGEST_ACCEPTED:
            click.echo(f"alexandros: a mail may have at most {LARGEST_ACCEPTED} bytes", err=True)
            sys.exit(EXIT_BAD_MAIL)
        with opened_context() as context:
            named = intake.find_recipients(raw, recipient, context.settings.mail_domain)
            addresses = [address for address in named if intake.is_deliverable(context, address)]
            for address in addresses:
                intake.store_mail(context, intake.find_envelope_sender(raw, sender), address, raw, utc_now())
    except CommandError as error:
        error.show()
        sys.exit(EXIT_TRY_LATER)
    except Exception as error:  # any other status would bounce the mail
        click.echo(f"alexandros: the mail cannot be stored now: {type(error).__name__}", err=True)
        sys.exit(EXIT_TRY_LATER)
    if not addresses:
        click.echo("alexandros: the mail names no address of ours; --to gives the envelope's", err=True)
        sys.exit(EXIT_NO_SUCH_USER)
    with suppress(Exception):  # it is stored, so the running server does what is left
        dispatch.process_waiting_mail(context, utc_now())
        sending.send_due_letters(context, choose_transport(context, utc_now), utc_now())


@click.command(epilog=example("failing"))
def failing() -> None:
    """List the addresses whose letters bounce: since when, in which games, and why."""
    from server.accounts.bounces import list_bouncing_addresses

    with opened_context() as context, context.reading() as session:
        for one in list_bouncing_addresses(session):
            since = f"since {one.since:%Y-%m-%d %H:%M} UTC"
            click.echo(f"{one.address}  {since}  {', '.join(one.games)}  {one.why}".rstrip())


@click.command(epilog=example("understood"))
def understood() -> None:
    """Count the mails that were not fully understood, by what they seemed to be and what was chosen."""
    from server.admin.backlog import count_unclear_mails

    with opened_context() as context, context.reading() as session:
        for one in count_unclear_mails(session):
            chosen = ", ".join(f"{number}: {times}" for number, times in one.chosen) or "none"
            click.echo(f"{one.kind}  {one.mails} mails  {one.asked} asked  chosen {chosen}")


@click.command(epilog=example("retry 17", "retry 17 18 19"))
@click.argument("mails", metavar="MAIL...", nargs=-1, required=True, type=int)
def retry(mails: tuple[int, ...]) -> None:
    """Read the mails with these numbers again, as if they had just come in; `why` and `doctor` list them.

    Only mails that had no effect and whose text is still stored. The running server reads them.
    """
    from server.admin.interventions import read_mail_again

    _repair(mails, read_mail_again)


@click.command(epilog=example("resend 17", "resend 17 18 19"))
@click.argument("numbers", metavar="LETTER...", nargs=-1, required=True, type=int)
def resend(numbers: tuple[int, ...]) -> None:
    """Send the letters with these numbers again; `why` and `letters --failed` list them.

    A failed letter is sent to its recipient's present address. In place of one that has left, or that would
    not leave again, its recipient gets the present state of the game. If nothing would leave, for example to
    an address whose letters bounce, it prints why. The running server sends them.
    """
    from server.admin.interventions import send_letter_again

    _repair(numbers, send_letter_again)


def _repair(numbers: tuple[int, ...], work: Callable[[UnitOfWork, int], str]) -> None:
    from server.outbox.queue import open_unit
    from server.store.context import utc_now
    from server.store.refusals import Refusal

    undone = 0
    with opened_context() as context:
        for number in dict.fromkeys(numbers):
            try:
                with open_unit(context, utc_now()) as unit:
                    told = work(unit, number)
                    unit.commit()
                print_wrapped(told)
            except Refusal as error:
                undone += 1
                click.echo(f"alexandros: {error}", err=True)
    sys.exit(EXIT_BAD_INPUT if undone else 0)


@click.command(epilog=example("letters --failed"))
@click.option("--failed", is_flag=True, required=True, help="List the letters that could not be delivered.")
def letters(failed: bool) -> None:
    """List the letters that were refused by the relay, that bounced, or that could not be rendered."""
    from server.admin.interventions import list_failed_letters
    from server.store.context import utc_now

    with opened_context() as context, context.reading() as session:
        for line in list_failed_letters(session, utc_now()):
            print_wrapped(line)
