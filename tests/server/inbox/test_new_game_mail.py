"""A game begun by mail: asked for, proposed, confirmed by its organiser, and only then are others told."""

import json
from email.message import EmailMessage

import pytest
from sqlmodel import func, select

from emails.letters.lobby_letters import game_request_from_json
from server.accounts.unsubscribe import resume_letters, stop_letters
from server.admin.archive import export_log
from server.admin.backups import examine_stored_acts
from server.clock import tick
from server.delivery.sending import send_due_letters
from server.inbox import dispatch
from server.inbox.intake import store_mail
from server.lobby.proposals import MOST_REFUSALS, PROPOSAL_VALID, confirm_proposal, delete_expired_proposals
from server.outbox.preferences import load_preferences
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
from server.store.projection import rebuild
from tests.server.desk import (
    HOUSE_NAMES,
    NOON,
    Collector,
    body,
    committed,
    game_row,
    names_of,
    seat_of,
    start_game,
)

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
        to = str(mail["To"]).split(",")[0]
        self.store(sender, to, bytes(mail))
        dispatch.process_waiting_mail(self.context, self.now)
        send_due_letters(self.context, self.carrier, self.now)
        with self.context.reading() as session:
            row = session.exec(select(IncomingMail).order_by(IncomingMail.id.desc())).first()
            return row.state

    def take_in(self, text, sender):
        """Somebody writes a mail, which is not read yet."""
        self.sent += 1
        raw = f"From: {sender}\r\nMessage-ID: <{self.sent}@client.example.org>\r\n\r\n{text}"
        self.store(sender, NEW, raw.encode())

    def store(self, sender, to, raw):
        store_mail(self.context, sender, to, raw, self.now)
        with self.context.writing() as session:
            row = session.exec(select(IncomingMail).order_by(IncomingMail.id.desc())).first()
            row.network = self.network
            session.commit()

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
    with context.reading() as session:
        return list(session.exec(select(Game.id).where(Game.status == status)))


def seated(context, game):
    with context.reading() as session:
        return dict(session.exec(select(Seating.name, Seating.seat).where(Seating.game == game)).all())


def stored(context):
    with context.reading() as session:
        tables = (Game, Seating, Player, OutgoingLetter, Proposal, StoredPreferences)
        return [session.exec(select(func.count()).select_from(table)).one() for table in tables]


# --- by mail from the first word to the first turn --------------------------------------------------------


@pytest.mark.parametrize("bytes_of_logo", [100, 300_000])
def test_a_large_logo_in_a_signature_keeps_nobody_from_a_game(post, bytes_of_logo):
    """It stands behind the text, so that the part of the mail that is stored holds all of the request."""
    assert post.bring(illustrated("Ben <ben@example.org>", bytes_of_logo=bytes_of_logo)) == "played"
    assert kind(post.to("anna")) == "proposal"


def test_control_a_request_behind_more_than_is_stored_is_answered(post):
    mail = EmailMessage()
    mail["From"], mail["To"], mail["Message-ID"] = "Anna <anna@example.org>", NEW, "<logo@client.example.org>"
    mail.make_mixed()
    mail.add_attachment(b"x" * 300_000, "image", "png")
    mail.add_attachment("Ben <ben@example.org>", "plain", disposition="inline")
    post.bring(mail)
    assert "Something is missing" in body(post.to("anna"))


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
    assert game_row(context, game).status == "open"
    assert [kind(post.to(name)) for name in ("anna", "ben", "cleo")] == [
        "accepted",
        "invitation",
        "invitation",
    ]
    assert len(post.carrier.mails) == 4
    assert "still awaited" in body(post.to("anna")).lower()
    with context.reading() as session:
        [(act, _)] = load_acts(session, game)
    assert (act.door, act.seat, act.said) == ("reply", seat_of(context, game, "Anna"), "yes")
    assert [fact["type"] for fact in json.loads(act.events)] == ["game_opened", "seat_accepted"]
    post.answer(post.to("ben"), "accept")
    post.answer(post.to("cleo"), "yes")
    assert game_row(context, game).status == "running"
    assert game_row(context, game).turn_minutes == 12 * 60
    assert sorted(names_of(context, game)) == ["Anna", "Ben", "Cleo"]
    assert names_of(context, game)[act.seat] == "Anna"


def test_a_line_to_the_guests_is_said_back_when_its_writer_is_known_and_stands_in_the_invitations(
    context, post
):
    words = "It is easier than it looks."
    proposal = post.proposed(f"Ben <ben@example.org>\nnote: {words}")
    assert "a line of 27 characters; it stands on the page" in " ".join(body(proposal).split())
    assert words not in body(proposal)
    changed = post.answer(proposal, f"{words}\nnote: see www.example.org")
    assert changed == "played"
    assert "holds no link" in " ".join(body(post.to("anna")).split())
    assert post.answer(post.to("anna"), f"note: {words}") == "played"
    assert post.answer(post.to("anna"), "yes") == "played"
    invitation = post.to("ben")
    assert f"  | {words}" in body(invitation)
    assert "Anna asks: will you play, Ben?" in body(invitation)
    assert words not in str(invitation["Subject"])
    again = post.proposed(f"Cleo <cleo@example.org>\nbericht: {words}")
    assert f"“{words}”" in " ".join(body(again).split())


def test_a_dutch_mail_is_answered_in_dutch_and_so_are_those_who_are_new(context, post):
    proposal = post.proposed("Ik wil graag spelen met Ben <ben@example.org>", to="nieuw@play.example.org")
    assert "Zullen we dit spel beginnen, Anna?" in body(proposal)
    assert proposal["Subject"] == "[Alexandros] Een spel wacht op je ja"
    assert "Het spel van Anna" in body(proposal)
    post.answer(proposal, "ja")
    assert "Schrijf boven deze regel" in body(post.to("ben"))
    with context.reading() as session:
        assert {load_preferences(session, player).language for player in session.exec(select(Player.id))} == {
            "nl"
        }


def test_against_the_house_it_begins_at_once(context, post):
    proposal = post.proposed("2 houses")
    for name in HOUSE_NAMES[:2]:
        assert f"Player: {name}, played by this server (steady)" in body(proposal)
    post.answer(proposal, "yes")
    tick(context, NOON)
    send_due_letters(context, post.carrier, NOON)
    [game] = games(context, "running")
    assert sorted(names_of(context, game)) == ["Anna", *HOUSE_NAMES[:2]]
    assert kind(post.to("anna")) in ("welcome", "your_turn")


def test_what_is_missing_is_said_and_an_answer_completes_it(context, post):
    letter = post.proposed("I would like to play with my sister Cleo")
    assert "A game needs one other player at least" in body(letter)
    assert "“I would like to play with my sister Cleo”" in body(letter)
    assert "/n/" not in body(letter)
    post.answer(letter, "yes")
    assert games(context, "open") == []
    post.answer(post.to("anna"), "Cleo <cleo@example.org>, 3 days")
    letter = post.to("anna")
    assert "Cleo, cleo@example.org" in body(letter)
    assert "No pace is nearer to what you asked for." in " ".join(body(letter).split())
    post.answer(letter, "yes")
    [game] = games(context, "open")
    assert {*seated(context, game)} == {"Anna", "Cleo"}


def test_another_request_makes_a_new_proposal_that_replaces_the_old(context, post):
    first = post.proposed("Ben <ben@example.org>\n12 hours")
    assert post.answer(first, "yes, and Cleo <cleo@example.org> too") == "played"
    second = post.to("anna")
    assert games(context, "open") == []
    assert all(words in body(second) for words in ("ben@example.org", "cleo@example.org", "12 hours"))
    post.answer(first, "yes")
    assert games(context, "open") == []
    assert "something else since" in body(post.to("anna"))
    assert "cleo@example.org" in body(post.to("anna"))
    post.answer(post.to("anna"), "yes")
    [game] = games(context, "open")
    assert {*seated(context, game)} == {"Anna", "Ben", "Cleo"}


def test_a_yes_with_a_thank_you_is_a_yes(context, post):
    post.answer(post.proposed("Ben <ben@example.org>"), "Hi,\n\nyes please\n\nThanks,\nAnna")
    assert len(games(context, "open")) == 1


def test_nobody_else_is_known_or_told_before_the_organiser_says_yes(context, post):
    post.proposed()
    with context.reading() as session:
        assert list(session.exec(select(Player.address))) == ["anna@example.org"]
        assert list(session.exec(select(Seating.name))) == ["Anna"]
    post.now += PROPOSAL_VALID
    tick(context, post.now)
    assert {to for _, to in post.carrier.envelopes} == {"anna@example.org"}


@pytest.mark.breadth
def test_the_seat_of_the_organiser_is_drawn_by_lot(context, post):
    seats = set()
    for number in range(12):
        sender = f"anna{number}@example.org"
        post.write("Ben <ben@example.org>\nhouse", sender=sender)
        post.answer(post.to(f"anna{number}"), "yes")
    for game in games(context, "open"):
        seats |= {seat for name, seat in seated(context, game).items() if name.startswith("Anna")}
    assert seats == {0, 1, 2}


# --- yes once, and from nobody else ------------------------------------------------------------------------


def test_yes_twice_is_yes_once(context, post):
    proposal = post.proposed()
    post.answer(proposal, "yes")
    post.answer(proposal, "Yes")
    [game] = games(context, "open")
    assert not committed(context, NOON, confirm_proposal, game, "link")
    assert game_row(context, game).seq == 1
    assert [kind(mail) for mail in post.carrier.to("anna")] == ["proposal", "accepted"]


def test_the_same_mail_again_does_nothing(context, post):
    mail = EmailMessage()
    mail["From"], mail["To"], mail["Message-ID"] = "anna@example.org", NEW, "<same@example.org>"
    mail.set_content("house")
    assert post.bring(mail) == "played"
    mail["X-Way"] = "another"
    assert post.bring(mail) == "ignored"
    assert len(games(context, "proposed")) == 1


def test_somebody_else_with_the_address_cannot_open_it(context, post):
    proposal = post.proposed()
    post.answer(proposal, "yes", sender="ben@example.org")
    assert games(context, "open") == []
    assert "another address" in body(post.to("anna"))
    assert not post.carrier.to("ben")
    assert post.answer(post.to("anna"), "yes", sender="ben@example.org") == "ignored"
    assert len(post.carrier.mails) == 2


def test_a_change_after_the_game_is_open_is_answered(context, post):
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


def test_a_damaged_address_is_nobodys(context, post):
    proposal = post.proposed()
    to = str(proposal["Reply-To"]).replace("new+", "new+a")
    assert post.write("yes", to=to) == "ignored"
    play = str(proposal["Reply-To"]).replace("new+", "play+")
    assert post.write("yes", to=play) == "ignored"
    assert len(games(context, "proposed")) == 1


# --- whoever wants no letters -------------------------------------------------------------------------


def test_who_wants_no_letters_gets_none(context, post):
    game = start_game(context, "Anna", "Ben")
    committed(context, NOON, stop_letters, game, seat_of(context, game, "Anna"), True)
    before = stored(context)
    assert post.write("house") == "ignored"
    assert stored(context)[0] == before[0]
    committed(context, NOON, resume_letters, game, seat_of(context, game, "Anna"), True)
    assert post.write("house") == "played"


def test_whoever_is_invited_and_wants_no_letters_is_left_alone(context, post):
    game = start_game(context, "Ben", "Dirk")
    committed(context, NOON, stop_letters, game, seat_of(context, game, "Ben"), True)
    send_due_letters(context, post.carrier, NOON)
    had = len(post.carrier.to("ben"))
    post.answer(post.proposed(), "yes")
    assert len(post.carrier.to("ben")) == had
    assert kind(post.to("cleo")) == "invitation"


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
    committed(context, NOON, stop_letters, game, seating.seat, True)
    assert post.write("house") == "ignored"
    assert len(post.carrier.mails) == 1


def test_his_way_out_leads_to_the_same_seat_once_the_game_is_open(context, post):
    proposal = post.proposed()
    post.answer(proposal, "yes")
    link = next(one for one in str(proposal["List-Unsubscribe"]).split(", ") if "mailto:" in one)
    post.write("", to=link.strip("<>").removeprefix("mailto:"))
    [game] = games(context, "open")
    with context.reading() as session:
        silent = [
            one.name
            for one in session.exec(select(Seating).where(Seating.game == game))
            if not load_preferences(session, one.player, game).letters
        ]
    assert silent == ["Anna"]


# --- a week later, and what else looks at games ---------------------------------------------------------


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


def test_deleting_leaves_players_and_what_they_have_said(context, post):
    game = start_game(context, "Anna", "Ben")
    post.proposed()
    post.write("house", sender="dirk@example.org")
    dirk = games(context, "proposed")
    for one in dirk:
        with context.reading() as session:
            seating = session.exec(select(Seating).where(Seating.game == one)).one()
        if seating.name == "Dirk":
            committed(context, NOON, stop_letters, one, seating.seat, True)
    delete_expired_proposals(context, NOON + PROPOSAL_VALID)
    assert games(context, "proposed") == []
    assert {*seated(context, game)} == {"Anna", "Ben"}
    post.now += PROPOSAL_VALID
    assert post.write("house", sender="dirk@example.org") == "ignored"


def test_a_proposal_is_no_game_to_anything_else(context, post):
    post.proposed()
    [game] = games(context, "proposed")
    before = stored(context)
    assert rebuild(context) == 1
    assert game_row(context, game).status == "proposed"
    assert list(examine_stored_acts(context)) == []
    tick(context, NOON)
    assert stored(context) == before
    with pytest.raises(GameNotOpened, match="only proposed"):
        list(export_log(context, game))
    post.answer(post.to("anna"), "yes")
    rebuild(context)
    assert game_row(context, game).status == "open"


def test_nothing_is_opened_that_cannot_be_played(context, post):
    post.proposed("ben@example.org, cleo@example.org, dirk@example.org, house")
    [game] = games(context, "proposed")
    with pytest.raises(GameNotOpened, match="4 players at most"):
        committed(context, NOON, confirm_proposal, game, "link")
    assert game_row(context, game).status == "proposed"
    with pytest.raises(GameNotOpened):
        committed(context, NOON, confirm_proposal, "aaaaaaaa", "link")


def test_a_letter_that_waits_is_not_sent_once_it_is_replaced_or_done(context, post):
    mail = EmailMessage()
    mail["From"], mail["To"], mail["Message-ID"] = "anna@example.org", NEW, "<a@example.org>"
    mail.set_content("house")
    store_mail(context, "anna@example.org", NEW, bytes(mail), NOON)
    dispatch.process_waiting_mail(context, NOON)
    [game] = games(context, "proposed")
    assert committed(context, NOON, confirm_proposal, game, "link")
    send_due_letters(context, post.carrier, NOON)
    assert "proposal" not in [kind(mail) for mail in post.carrier.mails]


def test_his_language_follows_what_he_asks_for_until_he_plays(context, post):
    letter = post.proposed("Ben <ben@example.org>")
    post.answer(letter, "taal: Nederlands")
    assert "Zullen we" in body(post.to("anna"))
    post.answer(post.to("anna"), "ja")
    post.write("I would like to play with the house")
    assert "Zullen we" in body(post.to("anna"))
    with context.reading() as session:
        asked = [game_request_from_json(one.request) for one in session.exec(select(Proposal))]
    assert asked[-1].houses == ("steady",)
