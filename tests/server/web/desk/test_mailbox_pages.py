"""The built-in mailbox: mails are read and answered as in a mail program."""

from email import message_from_bytes, policy
from email.message import EmailMessage
from urllib.parse import parse_qs, quote, urlsplit

import pytest

from emails.replies.grammars import GameGrammar
from emails.replies.parsed_mail import Mail
from emails.replies.reply_reader import read_reply
from server.app import create_app
from server.inbox import dispatch
from server.store import load_boards
from server.store.encrypted import decrypt_mail
from server.store.models import Act, LocalMail
from server.web.desk import mailbox_pages
from tests.breadth import first
from tests.server.desk import NOON, desk
from tests.server.web.site import site

BOARD = load_boards()["Alexandros"]
FOREIGN = (
    b"From: =?utf-8?q?Zo=C3=AB?= <zoe@example.org>\r\nTo: anna@example.org\r\nSubject: Re: hello\r\n"
    b"Message-ID: <1@example.org>\r\nReferences: "
    + b" ".join(b"<r%d@example.org>" % n for n in range(20))
    + b'\r\nMIME-Version: 1.0\r\nContent-Type: multipart/related; boundary="x"\r\n\r\n'
    b"--x\r\nContent-Type: text/html; charset=utf-8\r\n\r\n"
    b"<html><head><base href='https://elsewhere.example.org/'><script>alert(1)</script></head>"
    b"<body onload='alert(2)'><img src='cid:p@x'><img src='https://elsewhere.example.org/a.png'>"
    b"<a href='https://elsewhere.example.org/'>out</a>"
    b"<a href='mailto:play+x@play.example.org?subject=a%20b&amp;body=take%20lyre%0Aend%2Bx'>mail</a>"
    b"<form action='https://elsewhere.example.org/'><input name='a'></form></body></html>\r\n"
    b"--x\r\nContent-Type: image/png\r\nContent-ID: <p@x>\r\nContent-Transfer-Encoding: base64\r\n\r\n"
    b"iVBORw0K\r\n--x--\r\n"
)


def keep(place, raw: bytes, to: str = "anna@example.org") -> int:
    with place.changing() as session:
        row = LocalMail(recipient=to, message_id=f"<{len(place.rows(LocalMail))}@x>", at=NOON, raw=raw)
        session.add(row)
        session.flush()
        return row.id


def turn_mail(place, game) -> LocalMail:
    """The mail to the player whose turn it is."""
    place.work()
    address = f"{place.context.mover(game).lower()}@example.org"
    return [row for row in place.rows(LocalMail) if row.recipient == address][-1]


def test_while_the_first_letter_waits_the_empty_mailbox_says_so(place):
    assert "No mail yet." in place.visitor().get("/mailbox").text
    place.start_game("Anna", "Ben")
    assert "The first mail is on its way" in place.visitor().get("/mailbox").text


def test_mails_are_listed_the_newest_first_until_they_are_read(place, game):
    visitor = place.visitor().get("/mailbox")
    place.work()
    visitor.get("/mailbox")
    assert len(visitor.page.xpath("//a[@class='unread']")) == len(place.rows(LocalMail)) == 2
    newest = place.rows(LocalMail)[-1]
    assert visitor.links("//ul[@class='mails']//a")[0][1] == f"/mailbox/{newest.id}"
    visitor.get(f"/mailbox/{newest.id}").get("/mailbox")
    assert len(visitor.page.xpath("//a[@class='unread']")) == 1
    assert len(place.visitor().get("/mailbox").page.xpath("//a[@class='unread']")) == 2


def test_one_readers_mails_alone(place, game):
    place.work()
    visitor = place.visitor().get("/mailbox?to=anna@example.org")
    assert len(visitor.page.xpath("//ul[@class='mails']/li")) == 1
    assert visitor.title == "Mailbox of anna@example.org"


def test_older_mails_stand_on_further_pages(place):
    for number in range(95):
        keep(place, b"Subject: %d\r\n\r\nhello\r\n" % number)
    visitor = place.visitor().get("/mailbox")
    seen = []
    while True:
        seen += [link for _, link in visitor.links("//ul[@class='mails']//a")]
        if "Older mails" not in visitor.text:
            break
        visitor.click("Older mails")
    assert len(set(seen)) == len(seen) == 95


def test_the_list_learns_of_new_mail_by_asking_for_a_number(place, game):
    client = place.visitor().client
    assert client.get("/mailbox/newest").json == {"newest": 0}
    place.work()
    assert client.get("/mailbox/newest").json == {"newest": place.rows(LocalMail)[-1].id}
    assert client.get("/mailbox/newest?to=nobody@example.org").json == {"newest": 0}


def test_a_letter_is_shown_in_a_frame_with_its_picture(place, game):
    row = turn_mail(place, game)
    visitor = place.visitor().get(f"/mailbox/{row.id}")
    frame = visitor.page.xpath("//iframe")[0]
    assert "allow-scripts" not in frame.get("sandbox")
    answer = visitor.client.get(frame.get("src"))
    assert "sandbox" in answer.headers["Content-Security-Policy"]
    assert "script-src" not in answer.headers["Content-Security-Policy"]
    visitor.get(frame.get("src"))
    picture = visitor.page.xpath("string(//img/@src)")
    assert picture.startswith(f"/mailbox/{row.id}/part/")
    shown = visitor.client.get(picture)
    assert (shown.mimetype, shown.data[:4]) == ("image/png", b"\x89PNG")
    assert {a.get("target") for a in visitor.page.xpath("//a[@href]")} == {"_top"}
    ours = [link for _, link in visitor.links() if link.startswith("http://127.0.0.1:8000/t/")]
    assert place.visitor().get(urlsplit(ours[0]).path).status == 200


def test_text_headers_and_source(place, game):
    row = turn_mail(place, game)
    visitor = place.visitor().get(f"/mailbox/{row.id}?tab=text")
    assert "Write above this line" in visitor.page.xpath("string(//pre)")
    assert "Message-ID" in visitor.get(f"/mailbox/{row.id}?tab=headers").text
    source = visitor.client.get(f"/mailbox/{row.id}/source")
    assert source.data == decrypt_mail(row, place.context.links.keys).raw
    assert source.headers["Content-Type"].startswith("text/plain")


def test_a_foreign_mail_can_do_no_harm(place):
    number = keep(place, FOREIGN)
    visitor = place.visitor().get(f"/mailbox/{number}/html")
    words = visitor.answer.text
    assert not visitor.page.xpath("//script | //base | //form")
    assert "elsewhere.example.org/a.png" not in words
    assert visitor.page.xpath("string(//img/@src)") == f"/mailbox/{number}/part/p@x"
    assert visitor.client.get(f"/mailbox/{number}/part/p@x").data == b"\x89PNG\r\n"
    assert visitor.get(f"/mailbox/{number}/part/other").status == 404


def test_a_ready_made_mail_opens_the_box_filled_in(place):
    visitor = place.visitor().get(f"/mailbox/{keep(place, FOREIGN)}/html")
    link = next(link for text, link in visitor.links() if text == "mail")
    asked = parse_qs(urlsplit(link).query)
    assert asked == {"to": ["play+x@play.example.org"], "subject": ["a b"], "body": ["take lyre\nend+x"]}
    _, _, fields = visitor.get(link).form("//main//form")
    assert (fields["to"], fields["subject"]) == ("play+x@play.example.org", "a b")
    assert fields["words"].lstrip().startswith("take lyre\nend+x\n")


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"\xff\xfe",
        b"Subject: \r\n\r\n",
        b"Content-Type: text/html\r\n\r\n",
        b"Content-Type: text/html\r\n\r\n<!-- -->",
        b"Content-Type: multipart/mixed\r\n\r\nx",
        b"Content-Type: text/html; charset=none\r\n\r\n<p>\xe9</p>",
        b"Content-Type: text/plain; charset=utf-16\r\nContent-Transfer-Encoding: base64\r\n\r\n!!!",
        b"From: a\r\n b\r\nReply-To: <>\r\nSubject: =?x?y?z?=\r\n\r\n",
    ],
)
def test_no_mail_is_too_odd_to_be_shown(place, raw):
    number = keep(place, raw)
    for link in ("", f"/{number}", f"/{number}/html", f"/{number}?tab=text", f"/{number}/source"):
        assert place.visitor().get(f"/mailbox{link}").status == 200


def test_there_is_no_mailbox_where_letters_really_leave(tmp_path):
    place = site(tmp_path, ALEXANDROS_MAIL_OUT="smtp://127.0.0.1:2525")
    assert place.visitor().get("/mailbox").status == 404
    assert "Mailbox" not in place.visitor().get("/").text


def test_an_answer_is_composed_as_a_mail_program_does_it(place, game):
    row = turn_mail(place, game)
    letter = message_from_bytes(decrypt_mail(row, place.context.links.keys).raw, policy=policy.default)
    visitor = place.visitor().get(f"/mailbox/{row.id}")
    _, _, fields = visitor.form("//main//form")
    assert "\n> --- Write above this line ---" in fields["words"]
    visitor.send("//main//form", words="draw, café\n" + fields["words"])
    assert visitor.title == "Mailbox"
    assert f"The answer of {row.recipient} was sent" in visitor.text
    (received,) = place.context.stored_mails()
    mail = message_from_bytes(received.raw, policy=policy.default)
    assert isinstance(mail, EmailMessage)
    assert (received.envelope_from, received.envelope_to) == (
        row.recipient,
        letter["Reply-To"].addresses[0].addr_spec,
    )
    assert mail["From"] == row.recipient
    assert mail["To"] == received.envelope_to
    assert mail["Subject"] == f"Re: {letter['Subject']}"
    assert mail["In-Reply-To"] == letter["Message-ID"]
    assert mail["References"].split()[-1] == letter["Message-ID"]
    assert mail["References"].split()[0] == letter["References"].split()[0]
    assert mail["Date"].datetime == NOON
    assert mail["Message-ID"].endswith("@example.org>")
    assert b"\r\n" in received.raw
    assert b"\n" not in received.raw.replace(b"\r\n", b"")
    body = mail.get_content().replace("\r\n", "\n")
    assert body.startswith("draw, café\n")
    quoted = [line for line in body.splitlines() if line.startswith(">")]
    assert quoted[0] == "> --- Write above this line ---"
    assert any(line.endswith(" wrote:") for line in body.splitlines())


def test_an_answer_is_read_and_played(place, game):
    row = turn_mail(place, game)
    card = place.table(game).display.kinds()[0]
    visitor = place.visitor().get(f"/mailbox/{row.id}")
    _, _, fields = visitor.form("//main//form")
    visitor.send("//main//form", words=f"choose {card}\n" + fields["words"])
    reply = read_reply(Mail(place.context.stored_mails()[0].raw), GameGrammar(BOARD))
    assert reply.lines == (f"choose {card}",)
    dispatch.process_waiting_mail(place.context, place.clock())
    assert place.rows(Act.said, Act.door == "reply") == [f"choose {card}"]
    place.work()
    assert turn_mail(place, game).id > row.id


@pytest.mark.parametrize(
    "to", first(2, ["nobody", "a@b\r\nBcc: c@d", "", "a b@c", "x" * 70 + "@example.org"])
)
def test_an_answer_to_no_address_is_refused_and_kept_in_the_box(place, to):
    number = keep(place, FOREIGN)
    visitor = place.visitor().get(f"/mailbox/{number}").send("//main//form", to=to, words="choose lyre")
    assert visitor.status == 422
    assert "is no mail address" in visitor.text
    assert visitor.form("//main//form")[2]["words"].strip() == "choose lyre"
    assert not place.context.stored_mails()


def test_a_subject_stays_one_line(place):
    number = keep(place, FOREIGN)
    typed = {"to": "play+x@play.example.org", "subject": "a\r\nBcc: b@example.org"}
    place.visitor().get(f"/mailbox/{number}").send("//main//form", **typed)
    mail = message_from_bytes(place.context.stored_mails()[0].raw, policy=policy.default)
    assert mail["Bcc"] is None
    assert mail["Subject"] == "a Bcc: b@example.org"


def test_mailto_links_are_taken_apart():
    link = f"mailto:{quote('play+a@b.example.org')}?Subject=x&body=a+b%20c&bcc=d@example.org"
    assert mailbox_pages.parse_mailto(link) == {"to": "play+a@b.example.org", "subject": "x", "body": "a+b c"}
    assert mailbox_pages.parse_mailto("mailto:a@b") == {"to": "a@b"}


@pytest.mark.parametrize(
    ("listen", "status"), [("127.0.0.1:8000", 200), ("[::1]:8000", 200), ("0.0.0.0:8000", 404)]
)
def test_strangers_find_no_mailbox(tmp_path, listen, status):
    context = desk(tmp_path, ALEXANDROS_LISTEN=listen)
    assert create_app(context).test_client().get("/mailbox").status_code == status


@pytest.mark.parametrize(
    "number", ["7", "x", "9223372036854775807", "9223372036854775808", "9" * 23, "9" * 5000]
)
def test_a_number_that_no_mail_can_have_is_no_mail(place, game, number):
    place.work()
    visitor = place.visitor()
    for rest in ("", "/html", "/source", "/part/p@x"):
        assert visitor.get(f"/mailbox/{number}{rest}").status == 404
    assert visitor.post(f"/mailbox/{number}/answer", words="draw").status == 404
    shown = len(visitor.get("/mailbox").links("//main//a"))
    assert visitor.get(f"/mailbox?before={number}").status == 200
    assert len(visitor.links("//main//a")) >= shown > 0


def test_a_name_with_a_comma_and_an_accent_is_one_name_and_its_address_is_answered():
    mail = mailbox_pages.open_mail(b"From: =?utf-8?Q?M=C3=BCller=2C_Anna?= <anna@example.org>\n\nhello\n")
    assert (mail.sender, mail.answer_address) == ("Müller, Anna", "anna@example.org")
    mail = mailbox_pages.open_mail(b"Reply-To: ben@example.org\nFrom: anna@example.org\n\n")
    assert mail.answer_address == "ben@example.org"
    mail = mailbox_pages.open_mail(b"")
    assert (mail.sender, mail.answer_address) == ("", "")
