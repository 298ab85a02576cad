"""Commands against abuse: whom nobody writes to or hears, and games that are halted."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from server.commands.console import CommandError, example, opened_context

if TYPE_CHECKING:
    from datetime import datetime

    from sqlmodel import Session

    from server.store.unasked_models import Block

NARROW = (
    "{network} is less than a /24 or a /48, by which alone mails are known that another mail server took in:"
    " they are still heard."
)


@click.command(epilog=example("ban", "ban somebody@example.org", "ban example.org 192.0.2.0/24"))
@click.argument("what", nargs=-1, metavar="[WHAT]...")
def ban(what: tuple[str, ...]) -> None:
    """Write to nobody at WHAT and hear nobody from there; without WHAT list who is banned.

    WHAT is a mail address, with all its variants; a domain, with all below it; or a network. Nothing is sent
    to banned addresses, and mails from them are ignored. A banned network may read pages, but neither open
    games nor join them nor ask for links to sign in, and a player with a banned address cannot play, write or
    invite. That letters stop is always heard.
    """
    from server.outbox.blocks import is_narrow_block, note_block, store_block
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
    """Write to WHAT again, and hear it: what `ban` has been told, or what a reader has asked for.

    WHAT is written as it was banned. Where its reader has pressed "Never write to me again" that ends too.
    """
    from server.outbox.blocks import delete_block, find_banned_domain, note_block
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
    """Halt GAME: nobody plays or writes in it, none of its letters leaves, its clock stands still."""
    from server.admin.interventions import lift_suspension, suspend_game
    from server.outbox.unit_of_work import open_unit
    from server.store.context import utc_now

    with opened_context() as context, open_unit(context, utc_now().replace(microsecond=0)) as unit:
        changed = (lift_suspension if lift else suspend_game)(unit, game)
        unit.commit()
    if lift:
        click.echo(f"{game} goes on." if changed else f"{game} was not halted.")
    else:
        click.echo(f"{game} is halted." if changed else f"{game} was halted already.")


def _read_blocks(what: tuple[str, ...], now: datetime) -> list[Block]:
    """The blocks that somebody has typed, all of them or none."""
    from server.outbox.blocks import read_block
    from server.store.states import BlockOrigin

    try:
        return [read_block(one, BlockOrigin.OPERATOR, now) for one in what]
    except ValueError as error:
        raise CommandError(f"{error}; nothing was done") from None


def _list_blocks(session: Session) -> None:
    """Print who is banned, and how many readers want no letters."""
    from server.outbox.blocks import count_reader_blocks, list_operator_blocks

    for block in list_operator_blocks(session):
        click.echo(f"{block.kind:8} {block.shown}  since {block.at:%Y-%m-%d %H:%M} UTC")
    if readers := count_reader_blocks(session):
        click.echo(f"Readers who want no letters that they did not ask for: {readers}")
