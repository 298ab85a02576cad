"""How fast mail is read."""

from emails.replies.parsed_mail import Mail
from emails.replies.reply_reader import read_reply
from emails.replies.screening import screen_mail
from tests.benchmarks.measure import seconds, spent
from tests.emails.replies.consequences import files, grammar, shaped


def test_reading_the_mails_of_all_programs(figure):
    for what, cases in (
        ("short and odd mails", files()),
        ("replies of all programs, letters quoted", shaped()),
    ):

        def work(cases=cases):
            for case in cases:
                mail = Mail(case.raw, "anna@example.org")
                assert screen_mail(mail).fate in ("played", "ignored")
                read_reply(mail, grammar(case.at), case.answers)

        figure(f"{what}, screened and read", f"{len(cases) / seconds(work):,.0f} /s", "1,000")


WORST = {
    "orders in sentences": "I'd like the horse, to Troy, then draw\n",
    "points without an end": "C9, B8, C7, D6, E5, F6, G7, H8, C9, B8, C7, D6 via\n",
    "cards without an end": "horse and temple and lyre and horse and temple and lyre and\n",
    "near words": "marhc Troyy horze darw lyer sodier tempel wel niet misschien\n",
    "dashes": "draw - - - - - -- - - -- - -\n",
    "sentences": "draw. Nice weather here. I like it. So do we. Yes. Well. Oh. " * 10 + "\n",
    "signs": "draw ,,,,;;;;;....;;;;,,,, draw " * 10 + "\n",
    "headers": "Von: Anna\nBetreff: x\ndraw\n\n",
    "deep quotations": "".join(f"{'>' * depth} draw\n" for depth in range(60)),
    "one line": "draw and take the horse ",
}
SIZE = 2_000_000


def test_reading_the_worst_mails(figure):
    """Two megabytes of what takes longest to read."""
    for what, piece in WORST.items():
        raw = b"From: anna@example.org\r\n\r\n" + (piece * (SIZE // len(piece))).encode()
        mail = Mail(raw)
        taken = min(spent(lambda mail=mail: read_reply(mail, grammar("card"))) for _ in range(3))
        figure(f"2 MB of {what}", f"{taken:,.0f} ms of processor", "300")
        assert taken < 3000
