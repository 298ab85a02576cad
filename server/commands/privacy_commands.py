"""Commands about what is kept of somebody: show it, and forget them."""

from __future__ import annotations

import click

from server.commands.console import example, opened_context

STAYS_OPEN = (
    "Another process uses the database, so what was deleted may still lie in its files:"
    " type the same again when the server is stopped."
)


@click.command(epilog=example("data somebody@example.org", "data somebody@example.org >somebody.json"))
@click.argument("address")
def data(address: str) -> None:
    """Print all that is kept about whoever plays with ADDRESS, as JSON.

    It holds no link, no key and nothing secret about others: send it only to that address.
    """
    import json

    from server.outbox.budgets import OPERATOR
    from server.privacy.personal_data import collect_data_at
    from server.security_log import SecurityEvent
    from server.store.context import utc_now

    with opened_context() as context:
        context.security.note(SecurityEvent.DATA_ASKED, OPERATOR.text, utc_now(), address)
        click.echo(json.dumps(collect_data_at(context, address), ensure_ascii=False, indent=2))


@click.command(epilog=example("forget somebody@example.org", "forget --yes somebody@example.org"))
@click.argument("address")
@click.option("--yes", "agreed", is_flag=True, help="Do not ask before it is done.")
def forget(address: str, agreed: bool) -> None:
    """Forget whoever plays with ADDRESS, however it is written: their name, addresses, mails and messages.

    They are "a player" in their games from then on. Games that are played go on with a caretaker, seats of
    games that wait are given back, and the others hear that. What cannot go is told at the end. That nobody
    plays with ADDRESS is told to nobody.
    """
    from server.outbox.budgets import OPERATOR
    from server.privacy.erasure import WHAT_STAYS, forget_address
    from server.security_log import SecurityEvent
    from server.store.context import utc_now
    from server.store.database import compact_database

    if not agreed:
        click.confirm(f"Forget whoever plays with {address}? There is no way back.", abort=True)
    with opened_context() as context:
        now = utc_now()
        context.security.note(SecurityEvent.PERSON_FORGOTTEN, OPERATOR.text, now)
        forget_address(context, address, now)
        done = compact_database(context.database)
    click.echo(f"Nobody who plays here is known by {address} any more. What is kept all the same:")
    for sentence in WHAT_STAYS:
        click.echo(f"- {sentence}")
    if not done:
        click.echo(STAYS_OPEN, err=True)
