"""Sign-in of the operator: a mail with a link to the desk.

Only the operator's address gets the mail, but the response and its time are equal for all addresses. The
link is an ordinary one, valid once and for ten minutes (server/accounts/sign_in.py). The mail is an operator
mail, since a letter would belong to a game.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from server.accounts.sign_in import DESK_PAGE, MOST_A_DAY, forget_old, has_asked_often, player_at, store_link
from server.lobby.games import find_or_create_player
from server.outbox.operator_mail import count_desk_links, send_desk_link
from server.store.context import Context

NAME = "Operator"
WORDS = """\
With this link you sign in at the desk of {house}:

{link}

It is good for ten minutes, and once. If you did not ask for it there is
nothing to do: whoever typed your address was not told whether it is yours.
"""


def request_desk_link(context: Context, address: str, now: datetime) -> None:
    """Mail a sign-in link to the operator, if this is the operator's address and below the limit. Commits."""
    operator = context.settings.operator
    with context.writing() as session:
        forget_old(session, now)
        known = player_at(session, address)
        mailed = count_desk_links(session, now - timedelta(days=1))
        is_operator = operator is not None and address.lower() == operator.lower()
        if operator is not None and is_operator and mailed < MOST_A_DAY:
            player = known or find_or_create_player(session, NAME, operator, None, now)
            if not has_asked_often(session, player, now):
                made = store_link(context, session, player, now, DESK_PAGE)
                link = context.links.sign_in_link(made.mark)
                words = WORDS.format(house=context.settings.base_url, link=link)
                send_desk_link(context, session, words, now)
        context.commit_work(session)
