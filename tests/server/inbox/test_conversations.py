"""Conversations by mail: what a player writes, what is answered, and what has changed after each mail.

Keys of a conversation, in a file of `conversations/`:

- `title`: what it shows; `why`: what is not seen by reading it
- `players`: those of the game, three by default; `wants`: preferences of the first mover, for all games
- `stopped`: who gets no letters
- `begins`: when a game of forty days for each turn begins, in place of one of two days that begins at noon
- `cases`: the conversation is held once with each, whose parts stand for {0}, {1}, ...; in breadth beyond the
  first `gate` of them
- `mails`: each answers the last letter of its writer

Keys of a mail:

- `says`: its text, in which {card} and {march} begin a turn, and {me}, {second}, {third} sit in that order
- `by`: its writer, by default the first to move; `letter`: which letter to them it answers
- `after`: hours since the mail before it, by default one; `headers`: headers beside those of each answer
- `kind`: the kind of its answer, "" for none; `answer`: what stands there, in this order
- `lacks`: what does not stand there, and `hidden`: what stands in no letter to anybody else
- `state`: what becomes of it, and why
- `acts`, `mover`, `deadline`, `away`, `said`, `resigned`, `plans`, `wants`: what it changes; all else of
  these, and whatever else is stored of preferences and sleep hours, has to stay as it was
"""

import tomllib
from dataclasses import replace
from email.message import EmailMessage
from pathlib import Path

import pytest

from server.accounts.unsubscribe import stop_letters
from server.inbox import intake
from server.outbox.preferences import load_preferences
from server.store.models import ChatMessage, IncomingMail, Resignation, StoredPreferences
from server.store.stored_availability import DailyRest, StoredVacation
from tests.breadth import BREADTH
from tests.server.beginnings import begin_game
from tests.server.desk import (
    NOON,
    Clock,
    body,
    committed,
    game_row,
    kinds,
    names_of,
    player_of,
    rows_of,
    set_preferences,
    start_game,
    turn_words,
    words_of,
    work_until_idle,
)
from tests.server.planning import plans

SEATS = ("me", "second", "third")


def conversations():
    """Each conversation with each of its cases."""
    found = []
    for file in sorted((Path(__file__).parent / "conversations").glob("*.toml")):
        for one in tomllib.loads(file.read_text(encoding="utf-8"))["conversation"]:
            cases = one.get("cases", [[]])
            for number, case in enumerate(cases):
                marks = [BREADTH] if number >= one.get("gate", len(cases)) else []
                found.append(pytest.param(one, case, marks=marks, id=f"{file.stem}: {one['title']} {number}"))
    return found


class Talk:
    """A conversation, and the office in which it is held."""

    def __init__(self, context, carrier, conversation, case):
        self.context, self.carrier, self.case, self.number = context, carrier, case, 0
        self.clock = Clock(conversation.get("begins", NOON))
        players = conversation.get("players", ("Anna", "Ben", "Cleo"))
        if "begins" in conversation:
            self.game = start_game(context, *players, now=self.clock(), hours=40 * 24)
            work_until_idle(context, carrier, self.clock())
        else:
            self.game = begin_game(context, carrier, *players)
        self.names = names_of(context, self.game)
        card, march = turn_words(context, self.game)
        self.known = {"card": card, "march": march, "game": self.game}
        self.known |= dict(zip(SEATS, self.names, strict=False))
        if "stopped" in conversation:
            seat = SEATS.index(conversation["stopped"])
            committed(context, NOON, stop_letters, self.game, seat, False)
            work_until_idle(context, carrier, NOON)
        wants = self.filled(conversation.get("wants", {}))
        if wants:
            set_preferences(context, self.game, self.names[0], everywhere=True, **wants)
        self.found = self.facts()

    def filled(self, value):
        """A value with all that stands for something else put in."""
        if isinstance(value, dict):
            return {key: self.filled(one) for key, one in value.items()}
        if isinstance(value, list):
            return [self.filled(one) for one in value]
        if isinstance(value, str) and value.strip("{}").isdecimal() and value.startswith("{"):
            return self.filled(self.case[int(value.strip("{}"))])
        return value.format(*self.case, **self.known) if isinstance(value, str) else value

    def facts(self):
        """All that a mail can change."""
        chat = rows_of(self.context, ChatMessage, ChatMessage.seat.is_not(None))
        row = game_row(self.context, self.game)
        with self.context.reading() as session:
            wants = [
                load_preferences(session, player_of(self.context, self.game, seat), self.game)
                for seat in range(len(self.names))
            ]
        return {
            "acts": row.seq,
            "mover": self.names[row.seat],
            "deadline": row.deadline,
            "rest": rows_of(self.context, DailyRest),
            "stored": [(one.player, one.game, one.said) for one in rows_of(self.context, StoredPreferences)],
            "away": [[one.first, one.last] for one in rows_of(self.context, StoredVacation)],
            "said": [[self.names[one.seat], self.called(one.addressee), one.words] for one in chat],
            "resigned": [self.names[seat] for seat in rows_of(self.context, Resignation.seat)],
            "plans": [one.words for one in plans(self.context)],
            "wants": dict(zip(self.names, wants, strict=True)),
        }

    def called(self, seat):
        return "all" if seat is None else self.names[seat]

    def write(self, mail, writer):
        """Answer a letter of a player as a mail program does; gives the letters that come back."""
        letters = self.carrier.to(writer)
        letter, now = letters[mail.get("letter", -1)], self.clock.forward(mail.get("after", 1))
        self.number += 1
        answer = EmailMessage()
        headers = {"From": letter["To"], "To": letter["Reply-To"], "Subject": f"Re: {letter['Subject']}"}
        headers |= {"In-Reply-To": letter["Message-ID"], "Message-ID": f"<{self.number}@client.example.org>"}
        for name, value in (headers | mail.get("headers", {})).items():
            answer[name] = str(value)
        quoted = "".join(f"> {line}\n" for line in body(letter).splitlines())
        answer.set_content(f"{mail['says']}\n\nOn Monday Alexandros wrote:\n{quoted}")
        intake.store_mail(self.context, str(answer["From"]), str(answer["To"]), bytes(answer), now)
        work_until_idle(self.context, self.carrier, now)
        return self.carrier.to(writer)[len(letters) :]

    def exchange(self, mail):
        """Let a mail be written and read, and compare what comes of it with what is expected."""
        writer, before = self.known[mail.get("by", "me")], self.found
        wanted = [mail["kind"]] if isinstance(mail["kind"], str) else mail["kind"]
        sent = self.write(mail, writer)
        assert kinds(sent) == [one for one in wanted if one], [words_of(one) for one in sent]
        text = words_of(sent[-1]) if sent else ""
        rest = text
        for part in mail.get("answer", []):
            _, found, rest = rest.partition(part)
            assert found, (part, text)
        assert [part for part in mail.get("lacks", []) if part in text] == [], text
        others = [words_of(one) for name in self.names if name != writer for one in self.carrier.to(name)]
        assert not [part for part in mail.get("hidden", []) if part in " ".join(others)]
        if "state" in mail:
            row = rows_of(self.context, IncomingMail)[-1]
            assert [row.state, row.why] == mail["state"]
        expected = before | {key: mail[key] for key in before.keys() & mail.keys()}
        expected["acts"] = before["acts"] + mail.get("acts", 0)
        expected["wants"] = before["wants"] | {
            writer: replace(before["wants"][writer], **mail.get("wants", {}))
        }
        self.found = self.facts()
        if {"acts", "away"} & mail.keys() and "deadline" not in mail:
            expected["deadline"] = self.found["deadline"]
        if "wants" in mail:
            expected["stored"] = self.found["stored"]
        assert self.found == expected


@pytest.mark.parametrize(("conversation", "case"), conversations())
def test_a_conversation(context, carrier, conversation, case):
    talk = Talk(context, carrier, conversation, case)
    for mail in conversation["mails"]:
        talk.exchange(talk.filled(mail))
