"""The heads in letters: at the end they show that no line of the log was rewritten, and before it nothing."""

import json
import re
import subprocess
import sys
from base64 import b32encode
from pathlib import Path

import pytest
from click.testing import CliRunner

from emails.letters import game_letters
from engine.cards import SYMBOLS
from engine.event_log import HEAD, begin_chain, check_log
from engine.events import Event
from engine.rules import due
from server.admin import backups
from server.cli import main
from server.outbox.notifications import Notification
from server.outbox.queue import open_unit
from server.personal_data import forget_address
from server.store import load_boards
from server.store.event_log import load_acts
from server.store.models import Game
from server.turns.play import letters_of_start, record_act
from tests.paths import GAMES, TOP
from tests.server.desk import ANNA, BEN, NOON, Collector, body, desk

LINES = [line.encode() for line in (GAMES / "two-players.jsonl").read_text().splitlines()]
REQUESTS = [ANNA, BEN]
TURNS_BETWEEN_LETTERS = 4
(VERIFIER,) = [
    block
    for block in re.findall(
        r"^```python\n(.*?)^```", (TOP / "engine/README.md").read_text(), re.MULTILINE | re.DOTALL
    )
    if "b32encode" in block
]


class PlayedGame:
    """A game of two by mail, its letters and its log."""

    def __init__(self, folder: Path) -> None:
        self.context, self.post = desk(folder), Collector()
        steps = list(check_log(LINES, load_boards()))
        cut = next(at for at, (_, now) in enumerate(steps, 1) if at > 5 and now.table.phase == "card")
        cut += sum(event is not None for event in [due(steps[cut - 1][1])])
        first = json.loads(LINES[0]) | {"seats": [one.name for one in REQUESTS]}
        record = backups.read_log([json.dumps(first).encode(), *LINES[1:cut]])
        self.game = backups.import_log(self.context, record, NOON, requests=REQUESTS)
        self.at_first = list(backups.export_log(self.context, self.game))
        for one in REQUESTS:
            self.context.set_preferences(self.game, one.name, pictures=False)
        self.context.work_until_idle(self.post, NOON)
        turn: list[Event] = []
        for event, position in steps[cut:]:
            turn.append(event)
            if position.table.over or (position.table.phase == "card" and due(position) is None):
                self._record(turn)
                turn = []

    def _record(self, events: list[Event]) -> None:
        with open_unit(self.context, NOON) as unit:
            game = unit.session.get_one(Game, self.game)
            history = unit.history_of(game)
            table = history.position.table
            made = record_act(unit, game, history, table.seat, "reply", "a turn", events)
            over = made.position.table.over
            told = [Notification(seat, game_letters.GameOver()) for seat in (0, 1)]
            if over or table.turn % TURNS_BETWEEN_LETTERS == 0:
                unit.tell(game, told if over else letters_of_start(made.position.table))
            unit.commit()
        self.context.work_until_idle(self.post, NOON)

    def heads(self) -> list[str]:
        return [found[0] for mail in self.post.mails if (found := HEAD.search(body(mail)))]

    def log(self) -> list[str]:
        return list(backups.export_log(self.context, self.game))


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> PlayedGame:
    return PlayedGame(tmp_path_factory.mktemp("played"))


def both_find(folder: Path, lines: list[str], *heads: str) -> set[bool]:
    """Whether our verifier, and the one of the document, find anything in a log."""
    file, program = folder / "game.jsonl", folder / "verifier.py"
    file.write_text("".join(f"{line}\n" for line in lines))
    program.write_text(VERIFIER)
    ours = CliRunner().invoke(main, ["verify", str(file), *(f"--head={head}" for head in heads)])
    theirs = subprocess.run([sys.executable, "-I", program, file, *heads], capture_output=True, text=True)
    assert "Traceback" not in theirs.stderr
    assert bool(ours.exit_code) == bool(ours.stderr)
    return {bool(ours.exit_code), bool(theirs.returncode)}


def test_each_letter_of_the_game_ends_with_one_short_line(played):
    heads = played.heads()
    assert len(heads) == len(played.post.mails) > 10
    assert len(set(heads)) > 7
    for mail in played.post.mails:
        last = body(mail).rstrip().splitlines()[-1]
        assert re.fullmatch(r"Seal of the game so far: [0-9]+-[a-z2-7]{20}", last)


def test_an_honest_log_is_the_one_of_each_letter(played, tmp_path):
    assert both_find(tmp_path, played.log(), *played.heads()) == {False}
    *_, (_, position) = check_log((line.encode() for line in played.log()), load_boards())
    assert position.table.over


def test_without_a_head_all_are_printed(played, tmp_path):
    file = tmp_path / "game.jsonl"
    file.write_text("\n".join(played.log()))
    printed = CliRunner().invoke(main, ["verify", str(file)]).stdout.splitlines()
    assert len(printed) == len(played.log())
    assert set(played.heads()) <= set(printed)


def change(line: str, **values: object) -> str:
    return json.dumps(json.loads(line) | values)


def a_changed_event(lines: list[str]) -> list[str]:
    at = next(at for at, line in enumerate(lines) if '"card_drawn"' in line)
    other = next(one for one in SYMBOLS if one.value != json.loads(lines[at])["card"])
    return [*lines[:at], change(lines[at], card=other.value), *lines[at + 1 :]]


def a_dropped_act(lines: list[str]) -> list[str]:
    begins = [at for at, line in enumerate(lines) if '"meta"' in line]
    return [*lines[: begins[2]], *lines[begins[3] :]]


def a_swapped_order(lines: list[str]) -> list[str]:
    at = next(at for at, line in enumerate(lines[1:-1], 1) if lines[at + 1] != line)
    return [*lines[:at], lines[at + 1], lines[at], *lines[at + 2 :]]


def another_moment(lines: list[str]) -> list[str]:
    at = max(at for at, line in enumerate(lines) if '"meta"' in line)
    meta = json.loads(lines[at])["meta"] | {"at": "2026-03-02T12:00:01.000+00:00"}
    return [*lines[:at], change(lines[at], meta=meta), *lines[at + 1 :]]


def another_key(lines: list[str]) -> list[str]:
    meta = json.loads(lines[0])["meta"]
    return [change(lines[0], meta=meta | {"proof": meta["proof"] | {"key": "0" * 32}}), *lines[1:]]


REWRITTEN = {
    "a changed event": a_changed_event,
    "a dropped act": a_dropped_act,
    "a dropped end": lambda lines: lines[:-1],
    "a truncated log": lambda lines: lines[: len(lines) // 2],
    "a swapped order": a_swapped_order,
    "another moment": another_moment,
    "another key": another_key,
}


@pytest.mark.parametrize("rewrite", REWRITTEN.values(), ids=REWRITTEN)
def test_whatever_is_rewritten_is_found(played, tmp_path, rewrite):
    lines = played.log()
    assert rewrite(lines) != lines
    assert both_find(tmp_path, rewrite(lines), *played.heads()) == {True}


def test_the_log_of_another_game_is_found(played, tmp_path):
    other = backups.import_log(played.context, backups.read_log(LINES), NOON)
    lines = list(backups.export_log(played.context, other))
    assert both_find(tmp_path, lines, played.heads()[-1]) == {True}
    assert both_find(tmp_path, lines) == {False}


@pytest.mark.parametrize("lines", [[], ["x"], ["1"], ["{}"], ['{"meta": {"proof": {"key": 1, "game": 2}}}']])
def test_what_is_no_log_is_found(tmp_path, lines):
    assert both_find(tmp_path, lines, "1-" + "a" * 20) == {True}


@pytest.mark.breadth
def test_whoever_is_forgotten_leaves_the_heads_good(tmp_path):
    played = PlayedGame(tmp_path)
    forget_address(played.context, "anna@example.org", NOON)
    lines = played.log()
    assert not any("Anna" in line for line in lines)
    assert both_find(tmp_path, lines, *played.heads()) == {False}


def test_the_key_is_told_at_the_end_and_not_before(played):
    key = played.context.game_row(played.game).proof_key
    assert re.fullmatch(r"[0-9a-f]{32}", key)
    assert json.loads(played.log()[0])["meta"]["proof"] == {"game": played.game, "key": key}
    assert not any(key in line or '"proof"' in line for line in played.at_first)
    assert not any(key in str(mail) for mail in played.post.mails)


def test_a_drawn_card_cannot_be_guessed_by_a_head(played):
    """Whoever knows all but the card tries all five; a digest without a key would tell them which it was."""
    context, game = played.context, played.game
    log = [json.loads(line) for line in played.log()]
    at = next(at for at, fact in enumerate(log) if fact["type"] == "card_drawn")
    before = begin_chain(game).extend(log[:at])
    guesses = [before.append(log[at] | {"card": card.value}) for card in SYMBOLS]
    key = context.game_row(game).proof_key
    head = before.append(log[at]).head(key)
    telling = before.append(log[at]).digest
    assert [guess.digest == telling for guess in guesses].count(True) == 1  # what must not be told
    known = ["", game, "0" * 32, context.settings.base_url, guesses[0].digest.hex()]
    for guess in guesses:
        assert b32encode(guess.digest).decode().lower()[:20] not in head
        assert all(guess.head(one.encode().hex()) != head for one in known)
    assert [guess.head(key) == head for guess in guesses].count(True) == 1


def test_two_games_that_are_alike_have_other_heads(tmp_path):
    context = desk(tmp_path)
    heads = set()
    for _ in range(2):
        game = backups.import_log(context, backups.read_log(LINES[:20]), NOON, requests=REQUESTS)
        with context.reading() as session:
            rows = load_acts(session, game)
        chain = begin_chain("a" * 8).extend(json.loads(rows[0].events)[1:])
        heads.add(chain.head(context.game_row(game).proof_key))
    assert len(heads) == 2


def test_a_game_without_a_key_tells_no_head(tmp_path):
    context, post = desk(tmp_path), Collector()
    game = backups.import_log(context, backups.read_log(LINES[:20]), NOON, requests=REQUESTS)
    with context.changing() as session:
        session.get_one(Game, game).proof_key = ""
    context.work_until_idle(post, NOON)
    assert post.mails
    assert not any("Seal of" in body(mail) for mail in post.mails)
