"""Stories of a game: what players write and do, which letters they get, and what each step has changed.

A TOML file in `clock_stories`, `inbox/conversations`, or in `stories` of `accounts`, `lobby` or `outbox`, has
stories. Each happens through intake, reader, clock and outbox with a simulated clock, and compares the
effects of each step with the expected ones.

A story has these keys:

- `title`, `why`: subject; explanation
- `players`: three by default; `hours`: time for a turn, 48 by default
- `begins`: beginning of the game, at noon of 2 March 2026 by default; the first letters leave then
- `wants`: preferences of the first player for all games; `stopped`: a player without letters
- `cases`: the story runs once for each case, whose parts replace `{0}`, `{1}`, ...
- `gate`: number of cases that run in the gate; the others run in breadth, or with `long` in `pytest -m
  long`
- `steps`: the steps, whose keys follow

`{me}`, `{second}` and `{third}` are the players in the order of their seats; `{me}` is the first to move.
`{card}` and `{march}` begin a turn; `{stop}`, also as `{STOP}`, is the address that stops letters to `{me}`.

A step has these keys for its time:

- `after`: hours since the step before, by default 1 for a mail and 0 for other steps; `at`: date and time
  instead
- `times`: how many times the step happens
- `waits`: after the step nothing that is due happens and no letter leaves; `relay` (`"away"`): the relay
  takes no letters

These keys are the actions of a step:

- `says`: a mail; `by`: its writer, `{me}` by default; `letter`: number of the letter that it answers, the
  last by default; `headers`; `envelope`: sender of the envelope; `to`: address of a mail that quotes no
  letter
- `turns`: number of turns played on the page; `actions`: maximum of actions
- `prefers`: preferences of players for this game
- `posts`: a message on the page: writer, reader (`all`), words
- `asks`: `{me}` wants another address, which is asked to confirm it; `{code}` confirms it
- `stops`, `resumes`: a player wants no letters of the game, or wants them again
- `returns`: a report says that the last letter to a player came back; `refused`: the relay refuses that
  letter; `cleared`: mail to the player arrives again

These keys are expected effects of a mail:

- `kind`: kind of its answer, `""` for none
- `answer`: parts of the answer in their order; `lacks`: text that the answer must not contain
- `hidden`: what no letter to the others contains
- `state`: state and reason of the mail, or its state alone
- `moved`: addresses that are not the first ones of the players
- `acts`, `mover`, `deadline`, `away`, `back`, `said`, `resigned`, `plans`, `wants`: what the mail changes;
  these without an expectation, and stored preferences and sleep hours, must not change

These keys are expected effects of any step:

- `letters`: kinds of the letters that players got by the step
- `shows`, `hides`: parts that the last letter to a player contains, and text that it must not contain
- `dropped`: reasons of all dropped letters of a kind
- `unread`: beginnings of all messages that a player has not had in a letter
- `turn`: turn of the game; `acts`: new acts; `left`: hours that are left, or `none`
- `fails`: players whose letters come back; `halted`: players whose clock is paused
"""

import tomllib
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from email.message import EmailMessage

import pytest
from sqlmodel import select

from emails.i18n import Locale, use_locale
from engine.bots import stand_in
from engine.notation.orders import write
from engine.position import view
from server.accounts.addresses import request_address_confirmation
from server.accounts.bounces import clear_bounce_of_seat, find_bounce_mark, record_bounce
from server.accounts.unsubscribe import resume_letters, stop_letters
from server.inbox import intake
from server.outbox import chat
from server.outbox.notifications import load_preferences
from server.store.models import (
    ChatMessage,
    DailyRest,
    Game,
    IncomingMail,
    OutgoingLetter,
    Player,
    Resignation,
    StoredPlan,
    StoredPreferences,
    StoredVacation,
)
from tests.breadth import BREADTH, LONG
from tests.server.beginnings import begin_game
from tests.server.desk import AWAY, NOON, Clock, FailingRelay, body, kinds, words_of
from tests.server.inbox.returned import comes, envelope_of, mended, report

ANSWERS = ("answer", "refused", "shown", "asked_back")
"""Kinds of letters that answer a mail; those that refuse it do not come back."""
SEATS = ("me", "second", "third")
KEYS = set(
    "after at times waits relay says by letter headers envelope to turns actions prefers posts asks stops"
    " resumes returns refused cleared kind answer lacks hidden state moved acts mover deadline away back said"
    " resigned plans wants letters shows hides dropped unread turn left fails halted".split()
)


def stories(folder):
    """Each story of the files of a folder, with each of its cases."""
    found = []
    for file in sorted(folder.glob("*.toml")):
        for one in tomllib.loads(file.read_text(encoding="utf-8"))["story"]:
            cases = one.get("cases", [[]])
            for number, case in enumerate(cases):
                late = number >= one.get("gate", len(cases))
                marks = ([LONG] if one.get("long") else [BREADTH]) if late else []
                found.append(pytest.param(one, case, marks=marks, id=f"{file.stem}: {one['title']} {number}"))
    return found


def tell(context, carrier, story, case, kind=None):
    """Let a story happen, and compare what comes of each step with what is expected."""
    game = (kind or Story)(context, carrier, story, case)
    for step in story["steps"]:
        game.step(game.filled(step))
    if any({"returns", "refused"} & step.keys() for step in story["steps"]):
        mended(context, game.game)
    return game


class Filler:
    """Puts the parts of a case, and what else is known, where they are named."""

    def __init__(self, case, known):
        self.case, self.known = case, known

    def __call__(self, value):
        if isinstance(value, dict):
            return {self(key): self(one) for key, one in value.items()}
        if isinstance(value, list):
            return [self(one) for one in value]
        if isinstance(value, str) and value.strip("{}").isdecimal() and value.startswith("{"):
            return self(self.case[int(value.strip("{}"))])
        return value.format(*self.case, **self.known) if isinstance(value, str) else value


class Story:
    """A story, and the office in which it happens."""

    keys = KEYS

    def __init__(self, context, carrier, story, case=()):
        self.context, self.carrier, self.number = context, carrier, 0
        self.clock = Clock(story.get("begins", NOON))
        self.game = self.begin(story)
        self.names = context.names_of(self.game)
        card, march = context.turn_words(self.game)
        stop = self.context.links.unsubscribe_links(self.game, 0)[1].removeprefix("mailto:")
        known = {"card": card, "march": march, "game": self.game, "stop": stop, "STOP": stop.upper()}
        self.filled = Filler(case, known | dict(zip(SEATS, self.names, strict=False)))
        if "stopped" in story:
            self.do_stops(story["stopped"])
            self.work()
        wants = self.filled(story.get("wants", {}))
        if wants:
            context.set_preferences(self.game, self.names[0], everywhere=True, **wants)
        self.found = self.facts()

    def begin(self, story):
        players, hours = story.get("players", ("Anna", "Ben", "Cleo")), story.get("hours", 48)
        if self.clock() == NOON and hours == 48:
            return begin_game(self.context, self.carrier, *players)
        game = self.context.start_game(*players, now=self.clock(), hours=hours)
        self.work()
        return game

    def facts(self):
        chat = self.context.rows_of(ChatMessage, ChatMessage.seat.is_not(None))
        row = self.context.game_row(self.game)
        with self.context.reading() as session:
            wants = [
                load_preferences(session, self.context.player_of(self.game, seat), self.game)
                for seat in range(len(self.names))
            ]
        first = [f"{name.lower()}@example.org" for name in self.names]
        return {
            "moved": self.context.rows_of(Player.address, Player.address.not_in(first)),
            "acts": row.seq,
            "mover": self.names[row.seat],
            "deadline": row.deadline,
            "rest": self.context.rows_of(DailyRest),
            "stored": [(one.player, one.game, one.said) for one in self.context.rows_of(StoredPreferences)],
            "back": self.context.rows_of(StoredVacation.back_at, StoredVacation.back_at.is_not(None)),
            "away": [[one.first, one.last] for one in self.context.rows_of(StoredVacation)],
            "said": [[self.names[one.seat], self.called(one.addressee), one.words] for one in chat],
            "resigned": [self.names[seat] for seat in self.context.rows_of(Resignation.seat)],
            "plans": self.context.rows_of(StoredPlan.words),
            "wants": dict(zip(self.names, wants, strict=True)),
        }

    def called(self, seat):
        return "all" if seat is None else self.names[seat]

    def seat(self, name):
        return SEATS.index(name) if name in SEATS else self.names.index(name)

    def work(self, relay=None):
        carrier = FailingRelay(error=AWAY) if relay == "away" else self.carrier
        self.context.work_until_idle(carrier, self.clock())

    def commit(self, work, *arguments):
        return self.context.committed(self.clock(), work, *arguments)

    # --- what happens ---------------------------------------------------------------------------------------

    def step(self, step):
        assert step.keys() <= self.keys, step.keys() - self.keys
        people = {*self.names, step.get("by", self.names[0])}
        before = {name: len(self.carrier.to(name)) for name in people}
        acts = self.context.game_row(self.game).seq
        for _ in range(step.get("times", 1)):
            self.clock.forward(step.get("after", 1 if "says" in step else 0))
            if "at" in step:
                self.clock.now = datetime.fromisoformat(step["at"]).replace(tzinfo=UTC)
            for key, value in step.items():
                if action := getattr(self, f"do_{key}", None):
                    action(value, step)
            if not step.get("waits"):
                self.work(step.get("relay"))
        sent = {name: self.carrier.to(name)[before[name] :] for name in people}
        if "says" in step:
            self.check_mail(step, sent)
        else:
            self.found = self.facts()
        self.check(step, sent, acts)

    def do_says(self, words, mail):
        """Answer a letter of a player as a mail program does."""
        letter = self.carrier.to(mail.get("by", self.names[0]))[mail.get("letter", -1)]
        self.number += 1
        answer = EmailMessage()
        headers = {"From": letter["To"], "Message-ID": f"<{self.number}@client.example.org>"}
        if "to" in mail:
            headers |= {"To": mail["to"], "Subject": "unsubscribe"}
        else:
            headers |= {"To": letter["Reply-To"], "Subject": f"Re: {letter['Subject']}"}
            headers |= {"In-Reply-To": letter["Message-ID"]}
            quoted = "".join(f"> {line}\n" for line in body(letter).splitlines())
            words = f"{words}\n\nOn Monday Alexandros wrote:\n{quoted}"
        for name, value in (headers | mail.get("headers", {})).items():
            answer[name] = str(value)
        answer.set_content(words)
        sender = mail.get("envelope", str(answer["From"]))
        intake.store_mail(self.context, sender, str(answer["To"]), bytes(answer), self.clock())

    def do_turns(self, turns, step):
        """Play quietly on the page, all of a turn or so many actions of it."""
        actions = step.get("actions", 1000)
        begun = self.context.game_row(self.game).turn
        while actions and self.context.game_row(self.game).turn < begun + turns:
            row = self.context.game_row(self.game)
            known = view(self.context.position_of(self.game), row.seat)
            words = write(stand_in(known), known.table.board)
            self.context.play(self.game, row.seat, row.after, [words], "web", self.clock())
            actions -= 1

    def do_prefers(self, wanted, _):
        for name, changes in wanted.items():
            self.context.set_preferences(self.game, name, now=self.clock(), **changes)

    def do_posts(self, message, _):
        writer, reader, words = message
        addressee = None if reader == "all" else self.seat(reader)
        with self.context.changing() as session:
            game = session.get_one(Game, self.game)
            chat.post(self.context, session, game, self.seat(writer), addressee, words, self.clock())

    def do_asks(self, address, _):
        request_address_confirmation(self.context, self.game, 0, address, self.clock())
        [self.filled.known["code"]] = self.context.confirmation_codes(address)

    def do_stops(self, name, _=None):
        self.commit(stop_letters, self.game, self.seat(name), False)

    def do_resumes(self, name, _):
        self.commit(resume_letters, self.game, self.seat(name), False)

    def do_returns(self, name, _):
        letter = self.carrier.to(name)[-1]
        comes(self.context, report(self.carrier, letter), envelope_of(self.carrier, letter), self.clock())

    def do_refused(self, name, _):
        """The relay refuses the last letter to a player in the handover."""
        chosen = select(OutgoingLetter).where(
            OutgoingLetter.message_id == self.carrier.to(name)[-1]["Message-ID"]
        )

        def refuse(unit):
            record_bounce(unit, unit.session.exec(chosen).one(), "550 5.1.1 User unknown", reported=False)

        self.commit(refuse)

    def do_cleared(self, name, _):
        assert self.commit(clear_bounce_of_seat, self.game, self.seat(name))

    # --- what is expected -----------------------------------------------------------------------------------

    def check_mail(self, mail, sent):
        """Compare the answer to a mail, and all that it has changed, with what is expected."""
        writer, before = mail.get("by", self.names[0]), self.found
        wanted = [mail["kind"]] if isinstance(mail["kind"], str) else mail["kind"]
        assert kinds(sent[writer]) == [one for one in wanted if one], [words_of(one) for one in sent[writer]]
        for kind, letter in zip(wanted, sent[writer], strict=False):
            assert letter["Auto-Submitted"] == "auto-replied" or kind not in ANSWERS
            assert (envelope_of(self.carrier, letter) == "") == (kind == "refused")
        self.check_text(mail, words_of(sent[writer][-1]) if sent[writer] else "")
        others = [words_of(one) for name in self.names if name != writer for one in self.carrier.to(name)]
        assert not [part for part in mail.get("hidden", []) if part in " ".join(others)]
        if "state" in mail:
            row = self.context.rows_of(IncomingMail)[-1]
            assert mail["state"] in (row.state, [row.state, row.why])
        expected = before | {key: mail[key] for key in before.keys() & mail.keys()}
        expected["acts"] = before["acts"] + mail.get("acts", 0)
        expected["wants"] = dict(before["wants"])
        if "wants" in mail:
            expected["wants"][writer] = replace(before["wants"][writer], **mail["wants"])
        self.found = self.facts()
        if {"acts", "away"} & mail.keys() and "deadline" not in mail:
            expected["deadline"] = self.found["deadline"]
        if "wants" in mail:
            expected["stored"] = self.found["stored"]
        assert self.found == expected, {key: one for key, one in self.found.items() if one != expected[key]}

    def check_text(self, mail, text):
        rest = text
        for part in mail.get("answer", []):
            _, found, rest = rest.partition(part)
            assert found, (part, text)
        assert [part for part in mail.get("lacks", []) if part in text] == [], text

    def check(self, step, sent, acts):
        """Compare what a step has brought about with what is expected."""
        for name, wanted in step.get("letters", {}).items():
            assert kinds(sent[name]) == wanted, (name, kinds(sent[name]))
        for name, parts in step.get("shows", {}).items():
            text = words_of(self.carrier.to(name)[-1])
            assert [part for part in parts if part not in text] == [], text
        for name, parts in step.get("hides", {}).items():
            letter = self.carrier.to(name)[-1]
            told = [part.get_content() for part in letter.walk() if part.get_content_maintype() == "text"]
            text = " ".join(" ".join(told).split())
            assert [part for part in parts if part in text] == []
        for kind, reasons in step.get("dropped", {}).items():
            chosen = OutgoingLetter.kind == kind, OutgoingLetter.state == "dropped"
            assert self.context.rows_of(OutgoingLetter.why, *chosen) == reasons
        for name, wanted in step.get("unread", {}).items():
            waiting = self.unread(name)
            assert len(waiting) == len(wanted), waiting
            assert all(one.startswith(part) for one, part in zip(waiting, wanted, strict=True)), waiting
        row = self.context.game_row(self.game)
        assert step.get("turn", row.turn) == row.turn
        if "acts" in step and "says" not in step:
            assert row.seq - acts == step["acts"]
        if "left" in step:
            left = row.deadline and (row.deadline - self.clock()) / timedelta(hours=1)
            assert left == (None if step["left"] == "none" else step["left"])
        assert step.get("fails", fails := self.failing()) == fails
        if "halted" in step:
            history = self.context.history(self.game)
            halted = [name for seat, name in enumerate(self.names) if history.is_clock_paused(seat)]
            assert halted == step["halted"]

    def failing(self):
        with self.context.reading() as session:
            players = [self.context.player_of(self.game, seat) for seat in range(len(self.names))]
            marks = [find_bounce_mark(session, player) for player in players]
        return [name for name, mark in zip(self.names, marks, strict=True) if mark is not None]

    def unread(self, name):
        """The messages that wait for a player, in the language of their letters."""
        with self.context.reading() as session, use_locale(Locale("en")):
            return [one.words for one in chat.unread_chat(session, self.game, self.seat(name))[0]]
