"""Steps, undoing and playing at random, in two browsers with two tabs each, amid mails and deadlines.

Nothing is played that was not shown and pressed; what was pressed and acknowledged is played; no step
that can be taken back throws dice; and a kill loses neither.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from random import Random
from typing import Any
from urllib.parse import urlencode

import pytest
from lxml import html
from lxml.html import HtmlElement

from server import clock
from server.admin.backups import examine_stored_acts
from tests.breadth import by_run
from tests.faults.house import house
from tests.faults.relays import relay
from tests.faults.visits import PATIENCE, Browser, NotAnswered
from tests.newcomers import adapter
from tests.server.web.site import Dice, Visitor, site

STEPS = 160


class CountedDice(Dice):
    """Dice that count how often they fall."""

    thrown = 0

    def choice(self, seq: Any) -> Any:
        self.thrown += 1
        return super().choice(seq)


@dataclass
class Tab:
    """A page of a turn, open in some browser, as old as it may be."""

    visitor: Visitor
    who: str


def buttons(page: HtmlElement, *names: str) -> list[HtmlElement]:
    """The buttons of the dock that can be pressed, all or those of such names."""
    found = page.xpath("//*[@class='dock']//button[@name][not(@disabled)]")
    return [one for one in found if not names or one.get("name") in names]


def form_of(visitor: Visitor, button: HtmlElement) -> tuple[str, str, dict[str, Any]]:
    """What a button sends: the method and the address of its form, and all its fields."""
    own = button.get("form") or button.xpath("ancestor::form")[0].get("id")
    method, action, fields = visitor.form(f"//form[@id='{own}']")
    return method, action, fields | {button.get("name"): button.get("value")}


@dataclass
class Play:
    """A game of two with all their tabs, and what has happened."""

    place: Any
    game: str
    tabs: list[Tab]
    seen: Counter[str] = field(default_factory=Counter)

    @property
    def seq(self) -> int:
        return self.place.row(self.game).after

    @property
    def draft(self) -> tuple[str, ...]:
        return self.place.drafted(self.game)

    @property
    def mover(self) -> str:
        table = self.place.table(self.game)
        return "" if table.over else table.names[table.seat]

    def open(self, tab: Tab) -> None:
        """Open the newest page of a seat in a tab."""
        tab.visitor.get(self.place.link(self.game, seat=self.place.seat(self.game, tab.who)))

    def last_words(self, since: int) -> list[str]:
        return adapter.words_of_acts(adapter.Post(self.place.context, self.game), since)


def steps_of(words: str) -> list[str]:
    return [one for one in words.split("; ") if one]


def press(play: Play, tab: Tab, button: Any) -> None:
    """Press a button of the dock, as old as its page may be, and look at what has become of the turn."""
    name, value = str(button.get("name")), str(button.get("value"))
    method, action, fields = form_of(tab.visitor, button)
    base, shown = steps_of(fields.get("base", "")), fields.get("seen", "")
    seq, draft, dice, mover = play.seq, play.draft, play.place.dice.thrown, play.mover
    if method == "GET":
        tab.visitor.get(f"{action}?look=1&{name}={value}")
        assert (play.seq, play.draft) == (seq, draft), "a look changed something"
        return
    tab.visitor._show(tab.visitor.client.post(action, data=fields, follow_redirects=True))
    pressed = f"{tab.who} pressed {name}={value!r} on base {base}, seen {shown!r}"
    where = f"{pressed}; kept {draft}: {tab.visitor.status}"
    assert tab.visitor.status in (200, 400, 404, 409, 410, 422), where
    wanted = [*base, *steps_of(value)]
    if name != "play":
        assert play.seq == seq, f"an act without play: {where}"
        assert play.place.dice.thrown == dice, f"dice fell: {where}"
        kept = list(play.draft)
        if tab.who != mover:
            assert tuple(kept) == draft, f"another's draft was changed: {where}"
        elif tuple(kept) != draft or tab.visitor.status == 200:
            good = (
                kept == wanted[: len(kept)]
                if name == "do"
                else kept == base[: len(kept)] and len(kept) < max(1, len(base)) + (not base)
            )
            assert good or tuple(kept) == draft, f"now kept {kept}: {where}"
            if shown != "; ".join(draft) and tuple(kept) != draft:
                play.seen["newer wins"] += 1
                assert re.search(r"another window", tab.visitor.text, re.IGNORECASE), where
        play.seen[name] += 1
        return
    words = play.last_words(seq)
    if play.seq == seq:
        play.seen["not played"] += 1
        assert words == []
        assert play.draft == draft or not play.draft, f"lost what was kept: {where}"
        assert tab.visitor.status != 200 or tab.who != mover or not wanted, (
            f"nothing was played, and nothing said: {where}: {tab.visitor.text[:300]}"
        )
        return
    play.seen["played"] += 1
    assert tab.who == mover, where
    assert len(words) == 1 or wanted == ["end"], where
    if wanted == ["end"]:
        assert words == [], where
        return
    assert steps_of(words[0]) == [one for one in wanted if one != "end"], f"played {words}: {where}"
    assert play.draft == (), f"a draft outlived its turn: {where}"


def mail_in_between(play: Play, dice: Random) -> None:
    """The mover plays or says something by mail while pages are open."""
    if not play.mover:
        return
    seat = play.place.table(play.game).seat
    post = adapter.Post(play.place.context, play.game, now=play.place.clock())
    address = adapter.answer_address(post, seat)
    words = dice.choice(["say: wait", "draw", "end", "resign?", "board", "lyre", "nonsense"])
    seq, draft = play.seq, play.draft
    mine = f"{play.mover.lower()}@example.org"
    heads = [f"From: {play.mover} <{mine}>", f"To: {address}", "Subject: x"]
    heads.append(f"Message-ID: <{dice.random()}@example.org>")
    post.take_in(mine, address, "\r\n".join([*heads, "", words, ""]).encode())
    play.seen["mail that played" if play.seq > seq else "mail that did not"] += 1
    if play.seq > seq:
        assert play.draft == (), "a draft outlived a mail that played"
        assert len(play.last_words(seq)) < 2, "the mail played what was drafted"
        assert all(len(steps_of(one)) == 1 for one in play.last_words(seq)), (
            "the mail played what was drafted"
        )
    else:
        assert play.draft == draft, "a mail that plays nothing took the draft"


def deadline_in_between(play: Play) -> None:
    """The mover's time passes; what was begun is not played as if it had been confirmed."""
    if not play.mover:
        return
    play.place.context.begin_time(play.game, play.place.clock())
    seq, draft = play.seq, play.draft
    play.place.clock.forward(60)
    clock.tick(play.place.context, play.place.clock())
    if play.seq > seq:
        play.seen["deadline"] += 1
        assert play.draft == (), f"a draft outlived the deadline: {draft}"


def play_at_random(folder: Any, seed: int, steps: int) -> Play:
    place = site(folder)
    place.dice = CountedDice()
    place.context.rng = place.dice
    dice = Random(seed)
    game = place.start_game("Anna", "Ben")
    browsers = {who: [place.visitor(), place.visitor()] for who in ("Anna", "Ben")}
    tabs = [
        Tab(Visitor(one.client), who) for who, found in browsers.items() for one in found for _ in range(2)
    ]
    play = Play(place, game, tabs)
    for tab in tabs:
        play.open(tab)
    for _ in range(steps):
        if not play.mover:
            break
        mine = [tab for tab in tabs if tab.who == play.mover]
        tab = dice.choice(mine if dice.random() < 0.85 else tabs)
        chance = dice.random()
        if chance < 0.04:
            mail_in_between(play, dice)
        elif chance < 0.06:
            deadline_in_between(play)
        elif chance < 0.25 or not (offers := buttons(tab.visitor.page)):
            play.open(tab)
        else:
            back = [one for one in offers if one.get("name") in ("undo", "over")]
            press(play, tab, dice.choice(back) if back and dice.random() < 0.2 else dice.choice(offers))
    return play


@pytest.mark.parametrize("seed", by_run(breadth=[0], long=range(1, 6)))
def test_what_is_pressed_is_what_happens(tmp_path, seed, record_property):
    play = play_at_random(tmp_path, seed, STEPS)
    record_property("figure", f"steps at random, seed {seed}: {dict(play.seen)}")
    assert play.seen["do"] > 10
    assert play.seen["played"] > 2
    assert [str(one) for one in examine_stored_acts(play.place.context)] == []


def test_together_the_runs_have_tried_everything(tmp_path):
    seen: Counter[str] = Counter()
    for seed in (11, 12, 13):
        folder = tmp_path / str(seed)
        folder.mkdir()
        seen += play_at_random(folder, seed, STEPS).seen
    assert seen.keys() >= {"do", "undo", "over", "played", "newer wins", "deadline", "mail that played"}, seen


# --- kills ----------------------------------------------------------------------------------------------


def form_headers(visitor: Browser) -> dict[str, str]:
    """What goes with a form that a visitor sends."""
    cookies = "; ".join(f"{name}={value}" for name, value in visitor.cookies.items())
    return {"Cookie": cookies, "Content-Type": "application/x-www-form-urlencoded"}


def test_kills_lose_no_act_and_make_none(tmp_path, record_property):
    """A step that was acknowledged is kept, a play that was acknowledged is there, and nothing else is."""
    dice, acknowledged, kills = Random(5), 0, 0
    with relay() as post, house(tmp_path, post.mail_out) as place:
        game = place.open_game("Anna", "Ben")
        for _ in range(14):
            turn = place.turn(game)
            if not turn.lines:
                break
            visitor = Browser(place.port, PATIENCE)
            path = place.link(turn, "").removeprefix(place.base)
            status, text = visitor.get(path)
            assert status == 200
            page = html.document_fromstring(text)
            if not buttons(page, "do", "play", "undo", "over"):
                card = dice.choice(buttons(page, "card")).get("value").replace(" ", "+")
                page = html.document_fromstring(visitor.get(f"{path}?look=1&card={card}")[1])
            button = dice.choice(buttons(page, "do", "play") or buttons(page, "undo", "over"))
            name, value = button.get("name"), button.get("value")
            _, action, fields = form_of(Visitor(None, page), button)
            before, kept = place.seq(game), adapter.draft_rows(place, game)
            wanted = [*steps_of(fields.get("base", "")), *steps_of(value)]
            if dice.random() < 0.5:  # killed while it works
                visitor.connection.request("POST", action, urlencode(fields), form_headers(visitor))
                place.kill()
                answered = False
            else:
                try:
                    status, _ = visitor.post(action, fields)
                    answered = status == 200
                except NotAnswered:
                    answered = False
                place.kill()
            kills += 1
            place.start()
            after, now_kept = place.seq(game), adapter.draft_rows(place, game)
            where = (name, value, before, after, kept, now_kept, answered)
            if name == "play":
                assert after in (before, before + 1), where
                assert not answered or after == before + 1, f"a confirmed act is lost: {where}"
                if after > before:
                    assert steps_of(place.acts(game)[-1].said.replace("\n", "; ")) == wanted, where
                    assert not now_kept, where
                else:
                    assert now_kept == kept, where
            else:
                assert after == before, f"an act that nobody confirmed: {where}"
                new = [row for row in now_kept if row not in kept]
                assert len(now_kept) <= 1, where
                assert not answered or name != "do" or new or now_kept == kept, (
                    f"an acknowledged step is lost: {where}"
                )
            acknowledged += answered
            visitor.close()
        assert [str(one) for one in examine_stored_acts(place.context)] == []
    record_property("figure", f"{kills} kills amid drafts, {acknowledged} buttons acknowledged")
