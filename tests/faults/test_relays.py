"""Relays that refuse, break off, say nothing or take long: games go on, clocks are kept, no letter is lost.

The operator sees within half a minute that it is the relay. What is refused to one reader holds nobody else.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from threading import Event
from time import monotonic

import pytest

from tests.faults import flaws
from tests.faults.house import OPERATOR, RELAY, TICK, House, house, look_often, town
from tests.faults.judging import different_doubles, doubles, undelivered
from tests.faults.relays import MOODS, Mood, Relay, relay
from tests.faults.visits import PATIENCE, until

PROMPT = 1.0
"""Seconds by which anything may take longer than with a healthy relay."""
SEEN = 30.0
"""Seconds within which an operator sees that the relay is at fault."""
TRIES = 3
"""The least of so many measurements counts: others use this machine too."""
REFUSING = "refusing connections"
AWAY_AT_ONCE = (REFUSING, "busy (421)", "TLS that is none")
"""Nobody can speak with such a relay, and the first letter shows it: so nobody is timed out meanwhile."""
AWAY = (*AWAY_AT_ONCE, "silent")
REPLY = "554 5.7.1 not this one"
CODES = "554 5.7.1"
OF_ONE = ("refuses what one is written (554)", "puts one reader off (450)", "hangs at one reader")
CUTS = ("cut after the dot, taken", "cut after the dot, lost")
BREAKS_OFF = (*CUTS, "hangs at one reader", "slow by 2 s", "answers after 12 s")
"""A conversation that breaks off, here when the relay is started anew, tells nothing of the relay."""
TRIED_AGAIN = 60.0
"""Seconds after which the letter leaves that it was about."""
PUT_OFF = ("puts one reader off (450)", "refuses what one is written (554)")
"""These letters wait for their own time, a minute at first."""
IN_THE_GATE = (REFUSING,)


@dataclass
class Paces:
    order: float = 0.0
    """From the 250 for an order by mail until it is played."""
    of_house: float = 0.0
    """From then until the house has played its turn."""
    clock: float | None = None
    """From the end of somebody's time until the caretaker has played."""
    others: float | None = None
    """From the beginning of a game until the letters to people whom the fault does not concern are there."""
    seen: float | None = None
    """Until the operator sees it."""
    recovery: float = 0.0
    """From the end of the fault until all letters have left."""
    games: list[str] = field(default_factory=list)

    def held_up(self, healthy: "Paces") -> float:
        mine = (self.order, self.of_house, self.clock or 0.0, self.others or 0.0)
        theirs = (healthy.order, healthy.of_house, healthy.clock or 0.0, healthy.others or 0.0)
        return max(0.0, *(one - other for one, other in zip(mine, theirs, strict=True)))


# --- what is measured -----------------------------------------------------------------------------------


def suffer(place: House, post: Relay, name: str, hurried: bool = False) -> Paces:
    """Open games beside a healthy relay, change its mood, let people play and time be over, and mend it."""
    with_house = place.open_game("Anna", "house")
    late = place.open_game("Ben", "Cleo")
    until(lambda: not place.due() and place.turn(with_house).by_a_person, "all letters leave")
    said_before = len(place.log())
    try:
        return suffer_with(place, post, name, Paces(games=[with_house, late]), said_before, hurried)
    finally:
        post.recover()


def suffer_with(place: House, post: Relay, name: str, paces: Paces, said_before: int, hurried: bool) -> Paces:
    with_house, late = paces.games
    began = change(post, name)
    paces.order, paces.of_house = play_by_mail(place, with_house)
    sees = name in AWAY and not (hurried and name == "silent")
    if sees:
        until(lambda: place.unready() & RELAY, "the operator sees it", SEEN)
        paces.seen = monotonic() - began
    if name in AWAY_AT_ONCE:
        nobody_is_timed_out(place, late)
    elif name not in CUTS:  # whoever breaks off every conversation is away too, after a few
        paces.clock = time_out(place, late)
    if name not in AWAY and name not in CUTS:
        paces.others = write_to_others(place, post, paces)
    post.recover()
    if sees:
        until(lambda: not place.unready() & RELAY, "the operator sees that it is over", SEEN)
    if name in PUT_OFF or (hurried and name in BREAKS_OFF):
        place.let_pauses_end()
    paces.recovery = until(lambda: not place.due(), f"the letters leave: {place.due()}", 2 * PATIENCE)
    if sees:
        tell_once(place, name, said_before)
    return paces


def change(post: Relay, name: str) -> float:
    if name == REFUSING:
        post.refuse()
    else:
        post.become(MOODS[name])
        post.leave_all()
    return monotonic()


def play_by_mail(place: House, game: str) -> tuple[float, float]:
    """Bring orders by mail; the seconds until they are played, and from then until the house has played."""
    turn = place.turn(game)
    assert place.write_order(turn, place.next_message_id()) == 250
    played = until(lambda: place.seq(game) > turn.after, "the order is played")
    return played, until(lambda: place.acts(game)[-1].door == "house", "the house plays")


def time_out(place: House, game: str) -> float:
    seq = place.seq(game)
    at = place.bring_deadline(game, 0.3)
    until(lambda: place.seq(game) > seq, "the caretaker plays")
    return max(0.0, monotonic() - at)


def nobody_is_timed_out(place: House, game: str) -> None:
    """Let the time of a turn be over while no letter can leave: the turn stays its player's."""
    seq = place.seq(game)
    place.bring_deadline(game, 0.1)
    Event().wait(0.1 + 2 * TICK)
    assert place.seq(game) == seq


def write_to_others(place: House, post: Relay, paces: Paces) -> float:
    """Open a game of people whom the fault does not concern; the seconds until their letters are there."""
    before, began = len(post.taken()), monotonic()
    paces.games.append(place.open_game("Cleo", "Dirk"))

    def both_there() -> bool:
        there = {letter.recipient for letter in post.taken()[before:]}
        return {"cleo@example.org", "dirk@example.org"} <= there

    until(both_there, "the letters of others arrive", 400)
    return monotonic() - began


def tell_once(place: House, name: str, since: int) -> None:
    health = [line for line in place.events(since) if line.get("event") == "health"]
    assert len(health) <= 2, health
    if name in AWAY_AT_ONCE:
        until(lambda: len(place.states_of_relay(since)) > 1, "the log says that it is back")
        assert place.states_of_relay(since) == ["away", "back"]
    else:
        assert health[0]["state"] == "failing"


def allowed(name: str) -> float:
    """By how much anything may be slower; to bring one letter takes seven answers."""
    return PROMPT + (7 * MOODS[name].pause if name in MOODS else 0.0)


def judge(place: House, post: Relay, name: str, paces: Paces, healthy: Paces) -> str:
    rows = [dict(row) for game in paces.games for row in place.queued(game)]
    assert undelivered(rows, post.letters) == []
    assert different_doubles(post.letters) == []
    stood = paces.held_up(healthy)
    assert stood < allowed(name), (paces, healthy)
    waits = TRIED_AGAIN if name in BREAKS_OFF else 0.0
    assert paces.recovery < healthy.recovery + waits + 2 * TICK + PROMPT, paces
    seen = "not looked at by the operator"
    if paces.seen is not None:
        assert paces.seen < SEEN
        seen = f"operator sees it after {paces.seen:.1f} s"
    return f"relay {name}: lost 0, stood still for others {stood:.1f} s, {seen}"


@pytest.fixture(scope="module")
def at_work(tmp_path_factory) -> Iterator[tuple[House, Relay, Paces]]:
    with town(tmp_path_factory.mktemp("relays"), change=look_often) as (place, post):
        yield place, post, suffer(place, post, "healthy")


def stand(at_work: tuple[House, Relay, Paces], name: str, hurried: bool = False) -> str:
    """Suffer a mood, oftener where this machine was slow; its line."""
    place, post, healthy = at_work
    paces = suffer(place, post, name, hurried)
    for _ in range(TRIES - 1):
        if paces.held_up(healthy) < allowed(name):
            break
        paces = suffer(place, post, name, hurried)
    return judge(place, post, name, paces, healthy)


@pytest.mark.parametrize("name", IN_THE_GATE)
def test_a_relay_that_misbehaves_stops_nobody(name, at_work, figure):
    figure(stand(at_work, name, hurried=True))


@pytest.mark.breadth
@pytest.mark.parametrize(
    "name",
    [name for name in (*AWAY, *CUTS, *OF_ONE, "slow by 2 s", "answers after 12 s") if name != REFUSING],
)
def test_no_relay_that_misbehaves_stops_anybody(name, at_work, figure):
    figure(stand(at_work, name))


@pytest.mark.parametrize(
    "seconds",
    [1.0, pytest.param(12.0, marks=pytest.mark.breadth), pytest.param(300.0, marks=pytest.mark.long)],
)
def test_a_relay_that_takes_its_time_after_the_dot_gets_one_copy(seconds, tmp_path, figure):
    """RFC 5321, 4.5.3.2.6: ten minutes."""
    with town(tmp_path) as (place, post):
        post.become(Mood(late=seconds))
        place.open_game("Anna", "Ben")
        waited = until(lambda: not place.due(), "both letters are taken", 2 * seconds + 60)
    assert doubles(post.letters) == 0
    figure(f"relay answers after {seconds:.0f} s: 2 letters after {waited:.0f} s, doubles 0")


@pytest.mark.breadth
def test_a_relay_with_a_wrong_certificate_is_told_no_password(tmp_path, figure):
    """Where there is no password TLS is better than none, whoever vouches for it; here somebody has to."""
    with relay() as post, house(tmp_path, post.mail_out_with_password, look_often) as place:
        began = change(post, "a wrong certificate")
        place.open_game("Anna", "Ben")
        until(lambda: place.unready() & RELAY, "the operator sees it", SEEN)
        seen = monotonic() - began
        assert post.letters == []
        assert len(place.due()) == 2
        assert place.states_of_relay(0) == ["away"]
    figure(f"relay a wrong certificate: lost 0, operator sees it after {seen:.1f} s")


# --- what is refused for good ---------------------------------------------------------------------------


def test_what_the_relay_refuses_to_one_reader_is_told_to_whom_it_concerns(tmp_path, figure):
    """The operator by mail at once, by `doctor` and in the log; then the others of the game on their page."""
    with town(tmp_path) as (place, post):
        post.become(MOODS["refuses what one is written (554)"])
        began = monotonic()
        game = place.open_game("Anna", "Ben")
        until(lambda: post.to(OPERATOR), "the operator gets a mail", SEEN)
        seen = monotonic() - began
        assert REPLY in post.to(OPERATOR)[-1].raw.decode().replace("=\r\n", "")
        until(lambda: REPLY in place.context.type_in("doctor").output, "the doctor names it")
        let_letters_fail(place, game)
        assert REPLY in place.context.type_in("failing").output
        assert any(CODES in str(line) for line in place.events(0))
        assert REPLY not in place.log(), "the log has no words of others"
        turn, seat = place.turn(game), 1 - place.context.seat_of(game, "Anna")
        page = place.ask(place.link(replace(turn, seat=seat), ""))[1]
        assert "Mail to Anna comes back" in page
        assert place.acts(game)[-1].door != "clock"
    figure(f"554 to one reader: operator sees it after {seen:.1f} s, the game is told")


def let_letters_fail(place: House, game: str) -> None:
    """Let an hour pass in which the letters of a game that are refused are tried again."""

    def one_has_failed() -> bool:
        place.let_claims_end(minutes=29)
        return any(row["state"] == "failed" for row in place.queued(game))

    until(one_has_failed, "it is given up")


@pytest.mark.breadth
def test_a_relay_that_refuses_everybody_keeps_the_letters_waiting(tmp_path, figure):
    """It is our own fault or the relay's, so no address is marked, and all leave when it takes them again."""
    with town(tmp_path, change=look_often) as (place, post):
        post.become(MOODS["refuses what anybody is written (554)"])
        games, began = [place.open_game("Anna", "Ben"), place.open_game("Cleo", "Dirk")], monotonic()
        until(lambda: place.unready() & RELAY, "the operator sees it", SEEN)
        seen = monotonic() - began
        for _ in range(3):
            place.let_pauses_end(minutes=31)
            Event().wait(2 * TICK)
        assert "@" not in place.context.type_in("failing").output
        post.recover()
        place.let_pauses_end(minutes=31)
        until(lambda: {row["state"] for row in place.queued()} == {"sent"}, "all letters leave")
        rows = [dict(row) for game in games for row in place.queued(game)]
        assert undelivered(rows, post.letters) == []
    figure(f"554 to everybody: lost 0, operator sees it after {seen:.1f} s")


@pytest.mark.breadth
def test_control_where_one_thread_does_everything_a_silent_relay_is_noticed(tmp_path):
    with town(tmp_path, change=flaws.does_everything_in_one_thread) as (place, post):
        game = place.open_game("Anna", "house")
        until(lambda: not place.due() and place.turn(game).by_a_person, "all letters leave")
        change(post, "silent")
        welcomed = post.welcomed
        place.open_game("Ben", "Cleo")
        until(lambda: post.welcomed > welcomed, "a letter is in hand")
        turn = place.turn(game)
        assert place.write_order(turn, place.next_message_id()) == 250
        with pytest.raises(AssertionError, match="not within"):
            until(lambda: place.seq(game) > turn.after, "the order is played", 2 * PROMPT)


def test_control_slower_than_a_healthy_relay_is_noticed():
    healthy = Paces(0.1, 0.1, 0.2, 0.3)
    assert Paces(0.2, 0.1, 0.2, 0.3).held_up(healthy) < PROMPT
    assert Paces(0.1, 0.1, 230.0, None).held_up(healthy) > PROMPT
