"""Commands of the operator: look up, intervene, mail, bans, personal data."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime
from typing import TYPE_CHECKING

import click

from server.cli.console import EXIT_BAD_INPUT, CommandError, example, opened_context, print_wrapped

if TYPE_CHECKING:
    from sqlmodel import Session

    from server.outbox.queue import UnitOfWork
    from server.store.context import Context
    from server.store.models import Block


EXIT_TRY_LATER = 75
"""Exit status on which a mail server tries again later (EX_TEMPFAIL of sysexits.h)."""
EXIT_BAD_MAIL = 65
"""Exit status for a refused mail (EX_DATAERR)."""
EXIT_NO_SUCH_USER = 67
"""Exit status for an unknown recipient (EX_NOUSER)."""


@click.command(epilog=example('receive --to "$RECIPIENT" --from "$SENDER" <mail.eml'))
@click.option("--to", "recipient", default="", help="The envelope recipient; default: from the headers.")
@click.option("--from", "sender", default=None, help="The envelope sender; default: Return-Path or From.")
def receive(recipient: str, sender: str | None) -> None:
    """Store and answer a mail from standard input, such as the pipe of a mail server."""
    try:
        from emails.replies.screening import LARGEST_ACCEPTED
        from server.delivery import sending
        from server.delivery.relay import choose_transport
        from server.inbox import dispatch, intake
        from server.mail_addresses import sender_address
        from server.store.context import utc_now

        raw = sys.stdin.buffer.read(LARGEST_ACCEPTED + 1)
        while sys.stdin.buffer.read(LARGEST_ACCEPTED):
            pass  # read all, or the mail server's pipe breaks
        if len(raw) > LARGEST_ACCEPTED:
            click.echo(f"alexandros: a mail may have at most {LARGEST_ACCEPTED} bytes", err=True)
            sys.exit(EXIT_BAD_MAIL)
        with opened_context() as context:
            settings = context.settings
            named = intake.find_recipients(raw, recipient, settings.mail_domain, sender_address(settings))
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
        click.echo("alexandros: the mail has no address of ours; give the envelope's by --to", err=True)
        sys.exit(EXIT_NO_SUCH_USER)
    with suppress(Exception):  # the mail is stored: the running server finishes the rest
        dispatch.process_waiting_mail(context, utc_now())
        sending.send_due_letters(context, choose_transport(context, utc_now), utc_now())


@click.command(epilog=example("failing"))
def failing() -> None:
    """List the addresses whose letters bounce, each with the first bounce, the games and the reason."""
    from server.admin.reports import list_bouncing_addresses

    with opened_context() as context, context.reading() as session:
        for line in list_bouncing_addresses(session):
            click.echo(line)


@click.command(epilog=example("understood"))
def understood() -> None:
    """Count mails not fully understood, by content such as "plan", and how often each proposal was chosen."""
    from server.admin.reports import count_unclear_mails

    with opened_context() as context, context.reading() as session:
        for line in count_unclear_mails(session):
            click.echo(line)


@click.command(epilog=example("retry 17", "retry 17 18 19"))
@click.argument("mails", metavar="MAIL...", nargs=-1, required=True, type=int)
def retry(mails: tuple[int, ...]) -> None:
    """Read the mails with these numbers again, like new ones. `why` and `doctor` list the numbers.

    Only mails that changed nothing, and whose text is still stored, can be read again. The running server
    reads them.
    """
    from server.admin.interventions import read_mail_again

    _repair(mails, read_mail_again)


@click.command(epilog=example("resend 17", "resend 17 18 19"))
@click.argument("numbers", metavar="LETTER...", nargs=-1, required=True, type=int)
def resend(numbers: tuple[int, ...]) -> None:
    """Send the letters with these numbers again. `why` and `letters --failed` list the numbers.

    A failed letter is sent to the present address of its recipient. If a letter has been sent or became
    obsolete, its recipient gets the present state of the game. If nothing can be sent, for example because
    letters to the address bounce, the command prints the reason. The running server sends the letters.
    """
    from server.admin.interventions import send_letter_again

    _repair(numbers, send_letter_again)


def _repair(numbers: tuple[int, ...], work: Callable[[UnitOfWork, int], str]) -> None:
    from server.outbox.queue import open_unit
    from server.store.context import utc_now
    from server.store.event_log import Refusal

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
    """List the letters that the relay refused, that bounced, or that could not be rendered."""
    from server.admin.interventions import list_failed_letters
    from server.store.context import utc_now

    with opened_context() as context, context.reading() as session:
        for line in list_failed_letters(session, utc_now()):
            print_wrapped(line)


NARROW = (
    "{network} is smaller than a /24 or a /48. Mail from there that comes through another mail server is"
    " still accepted, since only its /24 or /48 is known."
)


@click.command(epilog=example("ban", "ban somebody@example.org", "ban example.org 192.0.2.0/24"))
@click.argument("what", nargs=-1, metavar="[WHAT]...")
def ban(what: tuple[str, ...]) -> None:
    """Ban WHAT: ignore mail from WHAT, and send no letters to a banned address or domain.

    WHAT is a mail address in any spelling, a domain with all its subdomains, or a network. A banned network
    may read pages, but cannot open games, join them or request sign-in links. A player with a banned
    address cannot play, write or invite. Unsubscribing still works. Without WHAT, the bans are listed.
    """
    from server.outbox.budgets import is_narrow_block, note_block, store_block
    from server.store.context import utc_now

    with opened_context() as context, context.writing() as session:
        for block in _read_blocks(what, utc_now().replace(microsecond=0)):
            note_block(context, session, block)
            new = store_block(session, block)
            click.echo(f"{block.shown} is banned." if new else f"{block.shown} was banned already.")
            if is_narrow_block(block):
                click.echo(NARROW.format(network=block.shown), err=True)
        session.commit()
        if not what:
            _list_blocks(session)


@click.command(epilog=example("allow somebody@example.org", "allow example.org 192.0.2.0/24"))
@click.argument("what", nargs=-1, required=True)
def allow(what: tuple[str, ...]) -> None:
    """Lift the ban of WHAT: the address, domain or network that was given to `ban`.

    If the owner of the address WHAT chose "Never write to me again", letters to it are allowed again.
    """
    from server.outbox.budgets import delete_block, find_banned_domain, note_block
    from server.store.context import utc_now
    from server.store.states import BlockKind, BlockOrigin

    with opened_context() as context, context.writing() as session:
        for one, block in zip(what, _read_blocks(what, utc_now()), strict=True):
            for origin in BlockOrigin:
                note_block(context, session, block.model_copy(update={"origin": origin}), holds=False)
            known = delete_block(session, block, of_anybody=True)
            click.echo(f"{block.shown} is allowed again." if known else f"{block.shown} was not banned.")
            left = find_banned_domain(session, one) if block.kind != BlockKind.NETWORK else ""
            if left:
                click.echo(f"The ban of {left} still holds for it.")
        session.commit()


@click.command(epilog=example("suspend abcd2345", "suspend abcd2345 --lift"))
@click.argument("game")
@click.option("--lift", is_flag=True, help="Let the game go on, with the time that was left.")
def suspend(game: str, lift: bool) -> None:
    """Suspend GAME: block turns and messages, hold back its letters, and stop its clock."""
    from server.admin.interventions import lift_suspension, suspend_game
    from server.outbox.queue import open_unit
    from server.store.context import utc_now

    with opened_context() as context, open_unit(context, utc_now().replace(microsecond=0)) as unit:
        changed = (lift_suspension if lift else suspend_game)(unit, game)
        unit.commit()
    if lift:
        click.echo(f"{game} goes on." if changed else f"{game} was not suspended.")
    else:
        click.echo(f"{game} is suspended." if changed else f"{game} was suspended already.")


def _read_blocks(what: tuple[str, ...], now: datetime) -> list[Block]:
    from server.outbox.budgets import read_block
    from server.store.states import BlockOrigin

    try:
        return [read_block(one, BlockOrigin.OPERATOR, now) for one in what]
    except ValueError as error:
        raise CommandError(f"{error}; nothing was done") from None


def _list_blocks(session: Session) -> None:
    from server.outbox.budgets import count_reader_blocks, list_operator_blocks

    for block in list_operator_blocks(session):
        click.echo(f"{block.kind:8} {block.shown}  since {block.at:%Y-%m-%d %H:%M} UTC")
    if readers := count_reader_blocks(session):
        click.echo(f"Readers who want no unsolicited letters: {readers}")


@click.command(epilog=example("find anna", "find anna@example.org", "find Friday"))
@click.argument("word")
def find(word: str) -> None:
    """List games and players by WORD: a game's id, a player's number, or a part of a name or address."""
    from server.admin.reports import find_by_word
    from server.store.context import utc_now

    with opened_context() as context, context.reading() as session:
        found = list(find_by_word(session, word, utc_now()))
    if not found:
        raise CommandError(f"no game and no player matches {word}")
    for one in found:
        print_wrapped(one.line)


@click.command(epilog=example("why ben@example.org", "why ben@example.org --last 200"))
@click.argument("address")
@click.option("--last", default=40, show_default=True, type=click.IntRange(1, 1000), help="Rows to list.")
def why(address: str, last: int) -> None:
    """List the letters to ADDRESS and the mails from it with their outcomes, the latest last.

    First come the reasons why letters wait or turns have no running clock: a ban, an unavailable relay,
    bounces, the recipient's choices. Times are UTC. Letters and mails are stored for thirty days. Texts are
    not shown.
    """
    from server.admin.reports import describe_correspondence
    from server.store.context import utc_now

    with opened_context() as context:
        found = list(describe_correspondence(context, address, utc_now(), last))
    if not found:
        raise CommandError(
            f"no player has {address}, and no stored mail or letter is from or to it;"
            " a mail that is refused during the SMTP dialogue is only in the log"
        )
    for line in found:
        print_wrapped(line)


@click.command(epilog=example("show abcd2345"))
@click.argument("game")
def show(game: str) -> None:
    """Show GAME: its players, turn, clock, letters and last acts, without hidden cards."""
    from server.admin.game_sheets import describe_sheet
    from server.store.context import utc_now

    with opened_context() as context:
        found = list(describe_sheet(context, game, utc_now()))
    if not found:
        raise CommandError(f"there is no game {game}; `alexandros find` looks for a part of its name")
    for line in found:
        print_wrapped(line)


@click.command(epilog=example("pause abcd2345"))
@click.argument("game")
def pause(game: str) -> None:
    """Pause the clock of GAME until it is resumed, for at most 30 days. Turns can still be played."""
    from server.admin.interventions import pause_game

    _change_game(lambda context, now: pause_game(context, game, now))


@click.command(epilog=example("resume abcd2345"))
@click.argument("game")
def resume(game: str) -> None:
    """Resume the clock of GAME after any pause. To end a suspension, use `suspend --lift`."""
    from server.admin.interventions import resume_game

    _change_game(lambda context, now: resume_game(context, game, now))


@click.command(epilog=example("extend abcd2345 24"))
@click.argument("game")
@click.argument("hours", type=int)
def extend(game: str, hours: int) -> None:
    """Give the player to move in GAME a number of HOURS more for this turn."""
    from server.admin.interventions import extend_turn

    _change_game(lambda context, now: extend_turn(context, game, hours, now))


@click.command(epilog=example("replace abcd2345 2 ben@example.org"))
@click.argument("game")
@click.argument("seat", type=click.IntRange(1, 4))
@click.argument("address")
def replace(game: str, seat: int, address: str) -> None:
    """Give SEAT of GAME with its hand to the player with ADDRESS. SEAT counts from 1.

    ADDRESS must be confirmed, for example by an answer to a letter. The former player gets a letter and can
    no longer see the hand. New people take a seat by its link: see `alexandros offer`.
    """
    from server.admin.interventions import replace_player

    _change_game(lambda context, now: replace_player(context, game, seat - 1, address, now))


@click.command(epilog=example("address ben@example.org ben@example.net"))
@click.argument("address")
@click.argument("new")
def address(address: str, new: str) -> None:
    """Send a confirmation request to NEW, the new address of the player with ADDRESS.

    Use it for players who have lost their old address. After the confirmation, letters go to NEW, and its
    reader can play for the player: check first that NEW belongs to the player. The old address need not
    agree; it gets a letter, and can undo the change for thirty days.
    """
    from server.admin.interventions import ask_new_address

    _change_game(lambda context, now: ask_new_address(context, address, new, now))


def _change_game(work: Callable[[Context, datetime], str]) -> None:
    from server.store.context import utc_now

    with opened_context() as context:
        print_wrapped(work(context, utc_now().replace(microsecond=0)))


STAYS_OPEN = (
    "Another process uses the database, so its files may still hold deleted data:"
    " repeat the command when the server is stopped."
)


@click.command(epilog=example("data somebody@example.org", "data somebody@example.org >somebody.json"))
@click.argument("address")
def data(address: str) -> None:
    """Print all data about the player with ADDRESS, as JSON.

    The output contains no links or keys, and no secrets of other people. Send the output to ADDRESS only.
    """
    import json

    from server.monitoring import SecurityEvent
    from server.outbox.budgets import OPERATOR
    from server.personal_data import collect_data_at
    from server.store.context import utc_now

    with opened_context() as context:
        context.security.note(SecurityEvent.DATA_ASKED, OPERATOR.text, utc_now(), address)
        click.echo(json.dumps(collect_data_at(context, address), ensure_ascii=False, indent=2))


@click.command(epilog=example("forget somebody@example.org", "forget --yes somebody@example.org"))
@click.argument("address")
@click.option("--yes", "agreed", is_flag=True, help="Do not ask for confirmation.")
def forget(address: str, agreed: bool) -> None:
    """Erase the player with ADDRESS in any spelling: name, addresses, mails and messages.

    In games the player is then called "a player". A caretaker plays on in running games, seats of open games
    are offered again, and the other players get a letter. The command prints which data cannot be erased,
    and does not reveal whether ADDRESS was known.
    """
    from server.monitoring import SecurityEvent
    from server.outbox.budgets import OPERATOR
    from server.personal_data import forget_address
    from server.store.context import utc_now
    from server.store.personal import WHAT_STAYS

    if not agreed:
        click.confirm(f"Erase the player with {address}? This cannot be undone.", abort=True)
    with opened_context() as context:
        now = utc_now()
        context.security.note(SecurityEvent.PERSON_FORGOTTEN, OPERATOR.text, now)
        forget_address(context, address, now)
        done = context.system.compact(context.database)
    click.echo(f"No player here has the address {address} any more. What is still stored:")
    for sentence in WHAT_STAYS:
        click.echo(f"- {sentence}")
    if not done:
        click.echo(STAYS_OPEN, err=True)
