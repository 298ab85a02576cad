"""A game begun by mail: asked for, proposed, confirmed by its organiser, and only then are others told."""

import json
from email.message import EmailMessage

import pytest
from sqlmodel import func, select

from emails.letters.proposal_letter import decoded
from server.accounts.unsubscribe import start_again, stop
from server.admin.archive import export
from server.admin.doctor import examine
from server.clock import tick
from server.delivery.outgoing import deliver
from server.inbox import incoming
from server.inbox.intake import take_in
from server.lobby.games import NotOpened
from server.lobby.proposals import MOST_A_DAY, VALID, confirm, forget_old
from server.outbox.preferences import wants
from server.store.event_log import acts
from server.store.models import Game, Incoming, Outgoing, Player, Preference, Proposal, Seating
from server.store.projection import rebuild
from tests.server.desk import NOON, Collector, game_row, names_of, seat_of, start_game

NEW = "new@play.example.org"


@pytest.fixture
def post(office):
    return Post(office)


class Post:
    """Mail to and from an office at one moment."""

    def __init__(self, office):
        self.office, self.carrier, self.now, self.sent = office, Collector(), NOON, 0

    def write(self, text, *, to=NEW, sender="Anna <anna@example.org>", envelope=None, subject="", **headers):
        """Somebody writes a mail; what became of it."""
        self.sent += 1
        mail = EmailMessage()
        mail["From"], mail["To"], mail["Subject"] = sender, to, subject
        mail["Message-ID"] = f"<{self.sent}@client.example.org>"
        for name, value in headers.items():
            mail[name.replace("_", "-")] = value
        mail.set_content(text)
        return self.bring(mail, envelope)

    def bring(self, mail, envelope=None):
        sender = str(mail["From"]).split("<")[-1].strip(">") if envelope is None else envelope
        take_in(self.office, sender, str(mail["To"]).split(",")[0], bytes(mail), self.now)
        incoming.process(self.office, self.now)
        deliver(self.office, self.carrier, self.now)
        with self.office.reading() as session:
            row = session.exec(select(Incoming).order_by(Incoming.id.desc())).first()
            return row.state

    def answer(self, letter, text, **more):
        """Answer a letter, with the letter quoted underneath."""
        quoted = "".join(f"> {line}\n" for line in body(letter).splitlines())
        text = f"{text}\n\nOn Monday Alexandros wrote:\n{quoted}"
        more = {"sender": str(letter["To"]), "subject": f"Re: {letter['Subject']}"} | more
        return self.write(text, to=str(letter["Reply-To"]), In_Reply_To=str(letter["Message-ID"]), **more)

    def to(self, name):
        """The last mail to somebody."""
        return self.carrier.to(name)[-1]

    def proposed(self, text="Ben <ben@example.org>\nCleo <cleo@example.org>", **more):
        """A proposal in answer to a mail."""
        assert self.write(text, **more) == "played"
        return self.to("anna")


def body(mail):
    return mail.get_body(("plain",)).get_content()


def kind(mail):
    return str(mail["X-Alexandros"])


def games(office, status):
    with office.reading() as session:
        return list(session.exec(select(Game.id).where(Game.status == status)))


def seated(office, game):
    with office.reading() as session:
        return dict(session.exec(select(Seating.name, Seating.seat).where(Seating.game == game)).all())


def stored(office):
    with office.reading() as session:
        tables = (Game, Seating, Player, Outgoing, Proposal, Preference)
        return [session.exec(select(func.count()).select_from(table)).one() for table in tables]


# --- by mail from the first word to the first turn --------------------------------------------------------


def test_a_game_is_begun_by_mail(office, post):
    proposal = post.proposed("Ben <ben@example.org>\nCleo cleo@example.org\n24 hours", subject="Friday")
    assert kind(proposal) == "proposal"
    assert proposal["In-Reply-To"] == "<1@client.example.org>"
    assert proposal["Subject"] == "Alexandros: Friday"
    assert proposal["Auto-Submitted"] == "auto-replied"
    assert post.carrier.envelopes == [("", "anna@example.org")]
    for words in ("Ben, ben@example.org", "Cleo, cleo@example.org", "Friday", "24 hours", "English"):
        assert words in body(proposal)
    [game] = games(office, "proposed")
    assert post.answer(proposal, "Yes!") == "played"
    assert game_row(office, game).status == "open"
    assert [kind(post.to(name)) for name in ("anna", "ben", "cleo")] == [
        "accepted",
        "invitation",
        "invitation",
    ]
    assert len(post.carrier.mails) == 4
    assert "still awaited" in body(post.to("anna")).lower()
    with office.reading() as session:
        [(act, _)] = acts(session, game)
    assert (act.door, act.seat, act.said) == ("reply", seat_of(office, game, "Anna"), "yes")
    assert [fact["type"] for fact in json.loads(act.events)] == ["game_opened", "seat_accepted"]
    post.answer(post.to("ben"), "accept")
    post.answer(post.to("cleo"), "yes")
    assert game_row(office, game).status == "running"
    assert game_row(office, game).hours == 24
    assert sorted(names_of(office, game)) == ["Anna", "Ben", "Cleo"]
    assert names_of(office, game)[act.seat] == "Anna"


def test_a_dutch_mail_is_answered_in_dutch_and_so_are_those_who_are_new(office, post):
    proposal = post.proposed("Ik wil graag spelen met Ben <ben@example.org>", to="nieuw@play.example.org")
    assert "Zullen we dit spel beginnen, Anna?" in body(proposal)
    assert "Het spel van Anna" in str(proposal["Subject"])
    post.answer(proposal, "ja")
    assert "Schrijf boven deze regel" in body(post.to("ben"))
    with office.reading() as session:
        assert {wants(session, player).language for player in session.exec(select(Player.id))} == {"nl"}


def test_against_the_house_it_begins_at_once(office, post):
    proposal = post.proposed("2 houses")
    assert "Players: 2 houses" in body(proposal)
    post.answer(proposal, "yes")
    tick(office, NOON)
    deliver(office, post.carrier, NOON)
    [game] = games(office, "running")
    assert sorted(names_of(office, game)) == ["Anna", "House 1", "House 2"]
    assert kind(post.to("anna")) in ("welcome", "your_turn")


def test_what_is_missing_is_said_and_an_answer_completes_it(office, post):
    letter = post.proposed("I would like to play with my sister Cleo")
    assert "A game needs one other player at least" in body(letter)
    assert "“I would like to play with my sister Cleo”" in body(letter)
    assert "/n/" not in body(letter)
    post.answer(letter, "yes")
    assert games(office, "open") == []
    post.answer(post.to("anna"), "Cleo <cleo@example.org>, 3 days")
    letter = post.to("anna")
    assert "Cleo, cleo@example.org" in body(letter)
    assert "3 days" in body(letter)
    post.answer(letter, "yes")
    [game] = games(office, "open")
    assert {*seated(office, game)} == {"Anna", "Cleo"}


def test_other_wishes_make_a_new_proposal_that_replaces_the_old(office, post):
    first = post.proposed("Ben <ben@example.org>\n24 hours")
    assert post.answer(first, "yes, and Cleo <cleo@example.org> too") == "played"
    second = post.to("anna")
    assert games(office, "open") == []
    assert all(words in body(second) for words in ("ben@example.org", "cleo@example.org", "24 hours"))
    post.answer(first, "yes")
    assert games(office, "open") == []
    assert "something else since" in body(post.to("anna"))
    assert "cleo@example.org" in body(post.to("anna"))
    post.answer(post.to("anna"), "yes")
    [game] = games(office, "open")
    assert {*seated(office, game)} == {"Anna", "Ben", "Cleo"}


def test_a_yes_with_a_thank_you_is_a_yes(office, post):
    post.answer(post.proposed("Ben <ben@example.org>"), "Hi,\n\nyes please\n\nThanks,\nAnna")
    assert len(games(office, "open")) == 1


def test_nobody_else_is_known_or_told_before_the_organiser_says_yes(office, post):
    post.proposed()
    with office.reading() as session:
        assert list(session.exec(select(Player.address))) == ["anna@example.org"]
        assert list(session.exec(select(Seating.name))) == ["Anna"]
    post.now += VALID
    tick(office, post.now)
    assert {to for _, to in post.carrier.envelopes} == {"anna@example.org"}


def test_the_seat_of_the_organiser_is_drawn_by_lot(office, post):
    seats = set()
    for number in range(12):
        sender = f"anna{number}@example.org"
        post.write("Ben <ben@example.org>\nhouse", sender=sender)
        post.answer(post.to(f"anna{number}"), "yes")
    for game in games(office, "open"):
        seats |= {seat for name, seat in seated(office, game).items() if name.startswith("anna")}
    assert seats == {0, 1, 2}


# --- yes once, and from nobody else ------------------------------------------------------------------------


def test_yes_twice_is_yes_once(office, post):
    proposal = post.proposed()
    post.answer(proposal, "yes")
    post.answer(proposal, "Yes")
    [game] = games(office, "open")
    assert not confirm(office, game, NOON, "link")
    assert game_row(office, game).seq == 1
    assert [kind(mail) for mail in post.carrier.to("anna")] == ["proposal", "accepted"]


def test_the_same_mail_again_does_nothing(office, post):
    mail = EmailMessage()
    mail["From"], mail["To"], mail["Message-ID"] = "anna@example.org", NEW, "<same@example.org>"
    mail.set_content("house")
    assert post.bring(mail) == "played"
    mail["X-Way"] = "another"
    assert post.bring(mail) == "ignored"
    assert len(games(office, "proposed")) == 1


def test_somebody_else_with_the_address_cannot_open_it(office, post):
    proposal = post.proposed()
    post.answer(proposal, "yes", sender="ben@example.org")
    assert games(office, "open") == []
    assert "another address" in body(post.to("anna"))
    assert not post.carrier.to("ben")
    assert post.answer(post.to("anna"), "yes", sender="ben@example.org") == "ignored"
    assert len(post.carrier.mails) == 2


def test_a_change_after_the_game_is_open_is_answered(office, post):
    proposal = post.proposed()
    post.answer(proposal, "yes")
    post.answer(proposal, "24 hours")
    letter = post.to("anna")
    assert kind(letter) == "refused"
    assert "is open already" in body(letter)
    assert NEW in body(letter)
    for _ in range(MOST_A_DAY + 3):
        post.answer(proposal, "24 hours")
    assert sum(kind(mail) == "refused" for mail in post.carrier.to("anna")) == MOST_A_DAY


def test_a_damaged_address_is_nobodys(office, post):
    proposal = post.proposed()
    to = str(proposal["Reply-To"]).replace("new+", "new+a")
    assert post.write("yes", to=to) == "ignored"
    play = str(proposal["Reply-To"]).replace("new+", "play+")
    assert post.write("yes", to=play) == "ignored"
    assert len(games(office, "proposed")) == 1


# --- whoever wants no letters -------------------------------------------------------------------------


def test_who_wants_no_letters_gets_none(office, post):
    game = start_game(office, "Anna", "Ben")
    stop(office, game, seat_of(office, game, "Anna"), True, NOON)
    before = stored(office)
    assert post.write("house") == "ignored"
    assert stored(office)[0] == before[0]
    start_again(office, game, seat_of(office, game, "Anna"), True, NOON)
    assert post.write("house") == "played"


def test_whoever_is_invited_and_wants_no_letters_is_left_alone(office, post):
    game = start_game(office, "Ben", "Dirk")
    stop(office, game, seat_of(office, game, "Ben"), True, NOON)
    deliver(office, post.carrier, NOON)
    had = len(post.carrier.to("ben"))
    post.answer(post.proposed(), "yes")
    assert len(post.carrier.to("ben")) == had
    assert kind(post.to("cleo")) == "invitation"


def test_the_way_out_of_a_proposal_stops_its_letters(office, post):
    proposal = post.proposed()
    link = next(one for one in str(proposal["List-Unsubscribe"]).split(", ") if "mailto:" in one)
    address = link.strip("<>").removeprefix("mailto:")
    assert post.write("", to=address) == "played"
    assert len(post.carrier.mails) == 1
    assert post.answer(proposal, "Yes, with pleasure") == "played"
    assert len(post.carrier.mails) == 1
    [game] = games(office, "proposed")
    with office.reading() as session:
        seating = session.exec(select(Seating).where(Seating.game == game)).one()
        assert not wants(session, seating.player, game).letters
    stop(office, game, seating.seat, True, NOON)
    assert post.write("house") == "ignored"
    assert len(post.carrier.mails) == 1


def test_his_way_out_leads_to_the_same_seat_once_the_game_is_open(office, post):
    proposal = post.proposed()
    post.answer(proposal, "yes")
    link = next(one for one in str(proposal["List-Unsubscribe"]).split(", ") if "mailto:" in one)
    post.write("", to=link.strip("<>").removeprefix("mailto:"))
    [game] = games(office, "open")
    with office.reading() as session:
        silent = [
            one.name
            for one in session.exec(select(Seating).where(Seating.game == game))
            if not wants(session, one.player, game).letters
        ]
    assert silent == ["Anna"]


# --- a week later, and what else looks at games ---------------------------------------------------------


def test_what_nobody_confirms_is_deleted_after_a_week(office, post):
    post.proposed()
    post.answer(post.to("anna"), "without Ben")
    assert forget_old(office, NOON + VALID / 2) == 0
    old = post.to("anna")
    post.now += VALID
    tick(office, post.now)
    assert stored(office) == [0] * 6
    assert post.answer(old, "yes") == "played"
    letter = post.to("anna")
    assert "too old" in body(letter)
    assert kind(letter) == "proposal"


def test_deleting_leaves_players_and_what_they_have_said(office, post):
    game = start_game(office, "Anna", "Ben")
    post.proposed()
    post.write("house", sender="dirk@example.org")
    dirk = games(office, "proposed")
    for one in dirk:
        with office.reading() as session:
            seating = session.exec(select(Seating).where(Seating.game == one)).one()
        if seating.name == "dirk":
            stop(office, one, seating.seat, True, NOON)
    forget_old(office, NOON + VALID)
    assert games(office, "proposed") == []
    assert {*seated(office, game)} == {"Anna", "Ben"}
    post.now += VALID
    assert post.write("house", sender="dirk@example.org") == "ignored"


def test_a_proposal_is_no_game_to_anything_else(office, post):
    post.proposed()
    [game] = games(office, "proposed")
    before = stored(office)
    assert rebuild(office) == 1
    assert game_row(office, game).status == "proposed"
    assert list(examine(office)) == []
    tick(office, NOON)
    assert stored(office) == before
    with pytest.raises(NotOpened, match="only proposed"):
        list(export(office, game))
    post.answer(post.to("anna"), "yes")
    rebuild(office)
    assert game_row(office, game).status == "open"


def test_nothing_is_opened_that_cannot_be_played(office, post):
    post.proposed("ben@example.org, cleo@example.org, dirk@example.org, house")
    [game] = games(office, "proposed")
    with pytest.raises(NotOpened, match="4 players at most"):
        confirm(office, game, NOON, "link")
    assert game_row(office, game).status == "proposed"
    with pytest.raises(NotOpened):
        confirm(office, "aaaaaaaa", NOON, "link")


def test_a_letter_that_waits_is_not_sent_once_it_is_replaced_or_done(office, post):
    mail = EmailMessage()
    mail["From"], mail["To"], mail["Message-ID"] = "anna@example.org", NEW, "<a@example.org>"
    mail.set_content("house")
    take_in(office, "anna@example.org", NEW, bytes(mail), NOON)
    incoming.process(office, NOON)
    [game] = games(office, "proposed")
    assert confirm(office, game, NOON, "link")
    deliver(office, post.carrier, NOON)
    assert "proposal" not in [kind(mail) for mail in post.carrier.mails]


def test_his_language_follows_what_he_asks_for_until_he_plays(office, post):
    letter = post.proposed("Ben <ben@example.org>")
    post.answer(letter, "taal: Nederlands")
    assert "Zullen we" in body(post.to("anna"))
    post.answer(post.to("anna"), "ja")
    post.write("I would like to play with the house")
    assert "Zullen we" in body(post.to("anna"))
    with office.reading() as session:
        asked = [decoded(one.wishes) for one in session.exec(select(Proposal))]
    assert asked[-1].houses == 1
