"""Commands that look something up: who plays, what went to somebody, how a game stands."""

from __future__ import annotations

import click

from server.commands.console import CommandError, example, opened_context, tell


@click.command(epilog=example("find anna", "find anna@example.org", "find Friday"))
@click.argument("word")
def find(word: str) -> None:
    """List the games and players that WORD names: an id, a number, an address, or a part of a name."""
    from server.admin.search import find_by_word
    from server.store.context import utc_now

    with opened_context() as context, context.reading() as session:
        found = list(find_by_word(session, word, utc_now()))
    if not found:
        raise CommandError(f"no game and no player is known by {word}")
    for one in found:
        tell(one.line)


@click.command(epilog=example("why ben@example.org", "why ben@example.org --last 200"))
@click.argument("address")
@click.option("--last", default=40, show_default=True, type=click.IntRange(1, 1000), help="How many to tell.")
def why(address: str, last: int) -> None:
    """Tell what went to ADDRESS and came from it, and what became of each, the latest last.

    First comes what holds letters up: a ban, a relay that is away, letters that come back, what their reader
    wants; and when no time runs on their turns, by their own wish. Times are UTC. Letters and mails are known
    for thirty days. What they say is not shown.
    """
    from server.admin.search import describe_correspondence
    from server.store.context import utc_now

    with opened_context() as context:
        found = list(describe_correspondence(context, address, utc_now(), last))
    if not found:
        raise CommandError(
            f"nobody plays with {address}, and nothing went there or came from there that is still known;"
            " a mail that is refused at the door is never stored, and stands in the log"
        )
    for line in found:
        tell(line)


@click.command(epilog=example("show abcd2345"))
@click.argument("game")
def show(game: str) -> None:
    """Show GAME: who plays, whose turn it is, the clock, its letters, the last acts; no hidden card."""
    from server.admin.game_sheet import describe_sheet
    from server.store.context import utc_now

    with opened_context() as context:
        found = list(describe_sheet(context, game, utc_now()))
    if not found:
        raise CommandError(f"there is no game {game}; `alexandros find` looks for a part of its name")
    for line in found:
        tell(line)
