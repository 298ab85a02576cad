"""A game begun by mail: asked for, proposed, confirmed by its organiser, and only then are others told."""

import json
from email.message import EmailMessage

import pytest
from sqlmodel import func, select

from server.accounts.unsubscribe import stop_letters
from server.clock import tick
from server.delivery.sending import send_due_letters
from server.inbox import dispatch
from server.inbox.intake import store_mail
from server.lobby.proposals import (
    MOST_REFUSALS,
    MOST_REPLIES,
    PROPOSAL_VALID,
    confirm_proposal,
    delete_expired_proposals,
)
from server.outbox import budgets
from server.outbox.notifications import load_preferences
from server.store.event_log import load_acts
from server.store.game_terms import GameNotOpened
from server.store.models import (
    Game,
    IncomingMail,
    OutgoingLetter,
    Player,
    Proposal,
    Seating,
    StoredPreferences,
)
from tests.server.desk import HOUSE_NAMES, NOON, Collector, body

NEW = "new@play.example.org"


@pytest.fixture
def post(context):
    return Post(context)


class Post:
    """Mail to and from an office at one moment."""

    def __init__(self, context):
        self.context, self.carrier, self.now, self.sent = context, Collector(), NOON, 0
        self.network = ""

    def write(self, text, *, to=NEW, sender="Anna <anna@example.org>", envelope=None, subject="", **headers):
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
        to = str(mail["To"]).split(",")[0]
        self.store(sender, to, bytes(mail))
        dispatch.process_waiting_mail(self.context, self.now)
        send_due_letters(self.context, self.carrier, self.now)
        return self.context.rows_of(IncomingMail.state)[-1]

    def take_in(self, text, sender):
        self.sent += 1
        raw = f"From: {sender}\r\nMessage-ID: <{self.sent}@client.example.org>\r\n\r\n{text}"
        self.store(sender, NEW, raw.encode())

    def store(self, sender, to, raw):
        store_mail(self.context, sender, to, raw, self.now)
        with self.context.changing() as session:
            row = session.exec(select(IncomingMail).order_by(IncomingMail.id.desc())).first()
            row.network = self.network

    def answer(self, letter, text, **more):
        quoted = "".join(f"> {line}\n" for line in body(letter).splitlines())
        text = f"{text}\n\nOn Monday Alexandros wrote:\n{quoted}"
        more = {"sender": str(letter["To"]), "subject": f"Re: {letter['Subject']}"} | more
        return self.write(text, to=str(letter["Reply-To"]), In_Reply_To=str(letter["Message-ID"]), **more)

    def to(self, name):
        return self.carrier.to(name)[-1]

    def proposed(self, text="Ben <ben@example.org>\nCleo <cleo@example.org>", **more):
        assert self.write(text, **more) == "played"
        return self.to("anna")


def illustrated(text, *, to=NEW, bytes_of_logo):
    """A mail with a logo in its signature, as mail programs build it."""
    mail = EmailMessage()
    mail["From"], mail["To"], mail["Message-ID"] = "Anna <anna@example.org>", to, "<logo@client.example.org>"
    mail.set_content(text)
    mail.add_alternative(f'<p>{text}</p><img src="cid:logo">', subtype="html")
    mail.get_payload()[1].add_related(b"x" * bytes_of_logo, "image", "png", cid="<logo>")
    return mail


def kind(mail):
    return str(mail["X-Alexandros"])


def games(context, status):
    return context.rows_of(Game.id, Game.status == status)


def seated(context, game):
    with context.reading() as session:
        return dict(session.exec(select(Seating.name, Seating.seat).where(Seating.game == game)).all())


def stored(context):
    with context.reading() as session:
        tables = (Game, Seating, Player, OutgoingLetter, Proposal, StoredPreferences)
        return [session.exec(select(func.count()).select_from(table)).one() for table in tables]


@pytest.mark.parametrize("bytes_of_logo", [100, 300_000])
def test_a_large_logo_in_a_signature_keeps_nobody_from_a_game(post, bytes_of_logo):
    """It stands behind the text, so that the part of the mail that is stored holds all of the request."""
    assert post.bring(illustrated("Ben <ben@example.org>", bytes_of_logo=bytes_of_logo)) == "played"
    assert kind(post.to("anna")) == "proposal"


def test_a_game_is_begun_by_mail(context, post):
    proposal = post.proposed("Ben <ben@example.org>\nCleo cleo@example.org\n12 hours", subject="Friday")
    assert kind(proposal) == "proposal"
    assert proposal["In-Reply-To"] == "<1@client.example.org>"
    assert proposal["Subject"] == "[Alexandros] A game waits for your yes"
    assert proposal["Auto-Submitted"] == "auto-replied"
    assert post.carrier.envelopes == [("", "anna@example.org")]
    for words in ("Ben, ben@example.org", "Cleo, cleo@example.org", "Friday", "12 hours", "English"):
        assert words in body(proposal)
    [game] = games(context, "proposed")
    assert post.answer(proposal, "Yes!") == "played"
    assert context.game_row(game).status == "open"
    assert [kind(post.to(name)) for name in ("anna", "ben", "cleo")] == [
        "accepted",
        "invitation",
        "invitation",
    ]
    assert len(post.carrier.mails) == 4
    assert "still awaited" in body(post.to("anna")).lower()
    with context.reading() as session:
        [act] = load_acts(session, game)
    assert (act.door, act.seat, act.said) == ("reply", context.seat_of(game, "Anna"), "yes")
    assert [fact["type"] for fact in json.loads(act.events)] == ["game_opened", "seat_accepted"]
    post.answer(post.to("ben"), "accept")
    post.answer(post.to("cleo"), "yes")
    assert context.game_row(game).status == "running"
    assert context.game_row(game).turn_minutes == 12 * 60
    assert sorted(context.names_of(game)) == ["Anna", "Ben", "Cleo"]
    assert context.names_of(game)[act.seat] == "Anna"


def test_against_the_house_it_begins_at_once(context, post):
    proposal = post.proposed("2 houses")
    for name in HOUSE_NAMES[:2]:
        assert f"Player: {name}, played by this server (steady)" in body(proposal)
    post.answer(proposal, "yes")
    tick(context, NOON)
    send_due_letters(context, post.carrier, NOON)
    [game] = games(context, "running")
    assert sorted(context.names_of(game)) == ["Anna", *HOUSE_NAMES[:2]]
    assert kind(post.to("anna")) in ("welcome", "your_turn")


def test_yes_twice_is_yes_once(context, post):
    proposal = post.proposed()
    post.answer(proposal, "yes")
    post.answer(proposal, "Yes")
    [game] = games(context, "open")
    assert not context.committed(NOON, confirm_proposal, game, "link")
    assert context.game_row(game).seq == 1
    assert [kind(mail) for mail in post.carrier.to("anna")] == ["proposal", "accepted"]


def test_a_change_after_the_game_is_open_is_answered(post):
    proposal = post.proposed()
    post.answer(proposal, "yes")
    post.answer(proposal, "12 hours")
    letter = post.to("anna")
    assert kind(letter) == "refused"
    assert "is open already" in body(letter)
    assert NEW in body(letter)
    for _ in range(MOST_REFUSALS + 3):
        post.answer(proposal, "12 hours")
    assert sum(kind(mail) == "refused" for mail in post.carrier.to("anna")) == MOST_REFUSALS


def test_the_way_out_of_a_proposal_stops_its_letters(context, post):
    proposal = post.proposed()
    link = next(one for one in str(proposal["List-Unsubscribe"]).split(", ") if "mailto:" in one)
    address = link.strip("<>").removeprefix("mailto:")
    assert post.write("", to=address) == "played"
    assert len(post.carrier.mails) == 1
    assert post.answer(proposal, "Yes, with pleasure") == "played"
    assert len(post.carrier.mails) == 1
    [game] = games(context, "proposed")
    with context.reading() as session:
        seating = session.exec(select(Seating).where(Seating.game == game)).one()
        assert not load_preferences(session, seating.player, game).letters
    context.committed(NOON, stop_letters, game, seating.seat, True)
    assert post.write("house") == "ignored"
    assert len(post.carrier.mails) == 1


def test_what_nobody_confirms_is_deleted_after_a_week(context, post):
    post.proposed()
    post.answer(post.to("anna"), "without Ben")
    assert delete_expired_proposals(context, NOON + PROPOSAL_VALID / 2) == 0
    old = post.to("anna")
    post.now += PROPOSAL_VALID
    tick(context, post.now)
    assert stored(context) == [0] * 6
    assert post.answer(old, "yes") == "played"
    letter = post.to("anna")
    assert "too old" in body(letter)
    assert kind(letter) == "proposal"


def test_nothing_is_opened_that_cannot_be_played(context, post):
    post.proposed("ben@example.org, cleo@example.org, dirk@example.org, house")
    [game] = games(context, "proposed")
    with pytest.raises(GameNotOpened, match="4 players at most"):
        context.committed(NOON, confirm_proposal, game, "link")
    assert context.game_row(game).status == "proposed"
    with pytest.raises(GameNotOpened):
        context.committed(NOON, confirm_proposal, "aaaaaaaa", "link")


def test_a_letter_that_waits_is_not_sent_once_it_is_replaced_or_done(context, post):
    mail = EmailMessage()
    mail["From"], mail["To"], mail["Message-ID"] = "anna@example.org", NEW, "<a@example.org>"
    mail.set_content("house")
    store_mail(context, "anna@example.org", NEW, bytes(mail), NOON)
    dispatch.process_waiting_mail(context, NOON)
    [game] = games(context, "proposed")
    assert context.committed(NOON, confirm_proposal, game, "link")
    send_due_letters(context, post.carrier, NOON)
    assert "proposal" not in [kind(mail) for mail in post.carrier.mails]


def test_who_has_had_enough_people_written_to_today_is_told_so_and_opens_the_game_tomorrow(
    context, post, monkeypatch
):
    letter = post.proposed("Ben <ben@example.org>\nCleo <cleo@example.org>")
    monkeypatch.setattr(budgets, "MOST_FROM_ONE", 1)
    assert post.answer(letter, "yes") == "played"
    assert "please come back tomorrow" in " ".join(body(post.to("anna")).split())
    assert games(context, "open") == []
    monkeypatch.setattr(budgets, "MOST_FROM_ONE", 2)
    post.answer(letter, "yes")
    assert len(games(context, "open")) == 1


def test_a_program_that_answers_each_proposal_is_answered_a_few_times_only(context, post):
    letter = post.proposed()
    for number in range(MOST_REPLIES + 5):
        post.answer(post.to("anna"), f"Ask dirk{number}@example.org, I am away.")
    assert len(post.carrier.mails) == MOST_REPLIES
    assert games(context, "open") == []
    post.answer(letter, "I am away", Auto_Submitted="auto-replied")
    assert len(post.carrier.mails) == MOST_REPLIES


def test_deleting_leaves_players_and_what_they_have_said(context, post):
    game = context.start_game("Anna", "Ben")
    post.proposed()
    post.write("house", sender="dirk@example.org")
    dirk = games(context, "proposed")
    for one in dirk:
        with context.reading() as session:
            seating = session.exec(select(Seating).where(Seating.game == one)).one()
        if seating.name == "Dirk":
            context.committed(NOON, stop_letters, one, seating.seat, True)
    delete_expired_proposals(context, NOON + PROPOSAL_VALID)
    assert games(context, "proposed") == []
    assert {*seated(context, game)} == {"Anna", "Ben"}
    post.now += PROPOSAL_VALID
    assert post.write("house", sender="dirk@example.org") == "ignored"
