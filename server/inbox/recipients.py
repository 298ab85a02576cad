"""Which addresses of the house take mail: what seals an address is looked at before any mail to it is stored.

Anybody can make up addresses without end. A mail to one that is none of ours could never be read, so it is
refused at each way in, and whoever sent it hears so at once from their own mail server.
"""

from __future__ import annotations

from emails.keys import ForgedToken, Purpose
from emails.links import is_inbox_address
from emails.tokens import OutdatedToken, unseal_bounce, unseal_game, unseal_reply, unseal_unsubscribe
from server.accounts.confirmations import is_known_code
from server.store.context import Context


def is_deliverable(context: Context, address: str) -> bool:
    """Whether mail to an address is taken: it is of the house, and its token, if it has one, is sealed by us.

    What it opens by now is for whoever reads the mail: letters from before an upgrade deserve an answer too.
    """
    if not is_inbox_address(address, context.settings.mail_domain):
        return False
    name, _, token = address.partition("@")[0].partition("+")
    keys = context.links.keys
    try:
        match name.lower():
            case "play":
                unseal_reply(token, keys)
            case "stop":
                unseal_unsubscribe(token, keys)
            case "bounce":
                unseal_bounce(token, keys)
            case "confirm":
                with context.reading() as session:
                    return is_known_code(session, token)
            case _ if token:
                unseal_game(Purpose.PROPOSAL_REPLY, token, keys)
    except OutdatedToken:
        return True
    except ForgedToken:
        return False
    return True
