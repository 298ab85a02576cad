"""The head of a game's hash chain, as letters tell it: worked out once for each act, and kept at hand."""

from __future__ import annotations

from sqlmodel import Session

from engine.seal.hash_chain import begin_chain
from server.store.context import Context
from server.store.event_log import load_acts, logged_facts
from server.store.models import Game


def tell_head(context: Context, session: Session, game: Game) -> str:
    """The head of a game's log as it is committed; empty where the game has no key for it, or no log yet."""
    if not game.proof_key:
        return ""
    seq, link = context.chains.get(game.id) or (0, begin_chain(game.id))
    if seq > game.seq:  # the game was set back
        seq, link = 0, begin_chain(game.id)
    for row, _ in load_acts(session, game.id, seq) if seq < game.seq else ():
        seq, link = row.seq, link.extend(logged_facts(row))
    context.chains.put(game.id, (seq, link))
    return link.head(game.proof_key) if link.lines else ""
