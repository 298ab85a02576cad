"""Requests by mail for games and seats: who gets which letters, and which games there are then.

A TOML file in `requests` has stories of mails that request games and seats. `title`, `why`, `cases`, `gate`
and `steps` are as in tests/server/stories.py.

- `begins`: `"with an offered seat"`: of `{first}`, who plays with `{second}` and `{third}`; `"with a taken
  seat"`: of `{first}`, who was late and for whom Dirk plays; `"with an open seat"`: in a game of Anna;
  `{join}` is the address of the seat
- `language`: of the players of a taken seat
- `writes`, `to`: a mail to an address, `new@` by default
- `answers`, `letter`: a mail that answers the last letter to its writer, one by its number, or the last of
  a kind
- `by`, `times`: its writer, Anna by default; it is written so many times, each with the next `{number}`
- `as`: its `sender`, `subject`, `envelope` and `headers`, where they are not the usual ones
- `state`, `kind`: what becomes of it, `played` by default; kind of its answer, `""` for none
- `answer`, `lacks`: parts of the answer in their order; what the answer does not contain
- `letters`: kinds of all letters to others
- `shows`, `subjects`: parts, and the subject, of the last letter to a player
- `languages`: languages of all players
- `games`: states of the games, each with its players; by default as before
"""

from email.utils import parseaddr
from pathlib import Path

import pytest

from emails.terms import AbsenceRule
from server.admin.backups import examine_stored_acts
from server.delivery.sending import send_due_letters
from server.outbox.notifications import load_preferences
from server.store.models import Game, Player, Seating
from tests.server.desk import ANNA, BY_LINK, NOON, OPEN_SEAT, kinds, words_of
from tests.server.inbox.test_new_game_mail import Post
from tests.server.lobby.table import Table
from tests.server.stories import Filler, stories

KEYS = set(
    "writes answers by to letter as times state kind answer lacks letters shows subjects languages"
    " games".split()
)


class Requests(Post):
    """A story, and the office to which its mails are written."""

    def __init__(self, context, carrier, clock, story, case):
        super().__init__(context)
        known = {}
        if story.get("begins") == "with an offered seat":
            table = Table(context, carrier, clock).open(AbsenceRule.TURN, "Anna", "Ben", "Cleo")
            table.resign(0)
            known = dict(zip(("first", "second", "third"), table.names, strict=True))
            known["join"] = context.links.join_address(table.game)
        elif story.get("begins") == "with a taken seat":
            table = Table(context, carrier, clock).begin(AbsenceRule.TURN)
            for name in table.names:
                table.prefer(name, everywhere=True, language=Filler(case, {})(story["language"]))
            table.let_first_vanish()
            known["first"] = table.names[0]
            table.take()
            table.deliver(0.01)
            self.carrier.mails += carrier.mails
            self.carrier.envelopes += carrier.envelopes
            self.now = clock()
        elif story.get("begins") == "with an open seat":
            organiser = {"organiser": "anna@example.org", "terms": BY_LINK}
            known["join"] = context.links.join_address(
                context.open_game("Friday", [ANNA, OPEN_SEAT], NOON, **organiser)
            )
        self.deliver()
        self.filled = Filler(case, known)
        self.games = self.found()

    def deliver(self):
        send_due_letters(self.context, self.carrier, self.now)

    def found(self):
        """The games, each by its status and the names of its players; those that are alike are one."""
        seats = [(one.game, one.name) for one in self.context.rows_of(Seating) if one.name]
        return {
            (game.status, *sorted(name for which, name in seats if which == game.id))
            for game in self.context.rows_of(Game)
        }

    def step(self, step):
        assert step.keys() <= KEYS, step.keys() - KEYS
        writer, before = step.get("by", "anna").lower(), len(self.carrier.mails)
        stored = self.context.rows_of(Player.address), self.context.rows_of(Game)
        more = dict(step.get("as", {}))
        headers = {name.replace("-", "_"): text for name, text in more.pop("headers", {}).items()}
        if "writes" in step:
            to = f"{step.get('to', 'new').removesuffix('@play.example.org')}@play.example.org"
            more.setdefault("sender", f"{writer.title()} <{writer}@example.org>")
            state = self.write(step["writes"], to=to, **more, **headers)
        else:
            chosen, letters = step.get("letter", -1), self.carrier.to(writer)
            if isinstance(chosen, str):
                letters, chosen = [one for one in letters if kinds([one]) == [chosen]], -1
            letter = letters[chosen]
            state = self.answer(letter, step["answers"], **more, **headers)
        assert state == step.get("state", "played")
        if state != "played":
            assert (self.context.rows_of(Player.address), self.context.rows_of(Game)) == stored
        address = parseaddr(more.get("sender", ""))[1] or f"{writer}@example.org"
        self.check(step, writer, address, before)

    def check(self, step, writer, address, before):
        """Compare what a mail has brought about with what is expected."""
        wanted = {f"{name.lower()}@example.org": some for name, some in step.get("letters", {}).items()}
        if step["kind"]:
            wanted[address] = [step["kind"]]
        sent, got = self.carrier.mails[before:], {}
        for letter, (_, recipient) in zip(sent, self.carrier.envelopes[before:], strict=True):
            got.setdefault(recipient, []).extend(kinds([letter]))
        assert got == wanted, [words_of(one) for one in sent]
        rest = text = " ".join(words_of(one) for one in self.carrier.to(writer)[-1:]) if step["kind"] else ""
        for part in step.get("answer", []):
            _, found, rest = rest.partition(part)
            assert found, (part, text)
        assert [part for part in step.get("lacks", []) if part in text] == [], text
        for name, parts in step.get("shows", {}).items():
            shown = words_of(self.to(name))
            assert [part for part in parts if part not in shown] == [], shown
        for name, subject in step.get("subjects", {}).items():
            assert self.to(name)["Subject"] == subject
        if "languages" in step:
            with self.context.reading() as session:
                people = self.context.rows_of(Player.id)
                assert {load_preferences(session, one).language for one in people} == set(step["languages"])
        if "games" in step:
            self.games = {(status, *sorted(names)) for status, *names in step["games"]}
        assert self.found() == self.games


@pytest.mark.parametrize(("story", "case"), stories(Path(__file__).parent / "requests"))
def test_a_request(context, carrier, clock, story, case):
    requests = Requests(context, carrier, clock, story, case)
    for step in story["steps"]:
        for number in range(1, step.get("times", 1) + 1):
            requests.filled.known["number"] = number
            requests.step(requests.filled(step))
    assert list(examine_stored_acts(context)) == []
