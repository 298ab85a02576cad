"""What comes back for a fault of ours is booked on no player, and the operator hears of it."""

import pytest

from server.admin.backlog import describe_backlog
from server.readiness import add_store_checks
from server.store.models import OperatorMail
from server.store.states import OperatorMatter
from tests.server.beginnings import begin_game
from tests.server.desk import desk, mover, names_of, rows_of, work_until_idle
from tests.server.inbox.returned import comes, envelope_of, fails, halted, mended, report, told

UNKNOWN = "550 5.1.1 User unknown in local recipient table"
OURS = [
    "550-5.7.26 Your email has been blocked: the sender is unauthenticated. Gmail requires SPF or DKIM.",
    "550 5.7.1 Service unavailable, client host [192.0.2.9] blocked using zen.spamhaus.org",
    "550 5.7.606 Access denied, banned sending IP [192.0.2.9]",
    "421 4.7.0 Try again later, closing connection: rate limit exceeded",
    "550 5.7.25 The IP address sending this message does not have a PTR record",
    "550 5.7.0 Message rejected as spam",
    "554 Your host is on a blacklist",
    "550 5.1.0 sender rejected: DMARC",
    "451 4.3.2 Please try again later",
]
THEIRS = [
    UNKNOWN,
    "550 5.1.1 <spam@block.example.org>: unknown here, says mx.ip-policy.example.org[192.0.2.5]",
    "552 5.2.2 Mailbox full",
    "550 5.2.1 The recipient is receiving mail at a rate that prevents additional messages",
    "550 5.4.1 Recipient address rejected: Access denied",
    "554 4.4.7 Message expired: unable to deliver in 840 minutes.<421 4.4.1>",
    "550 No such user here",
]


@pytest.fixture
def context(tmp_path):
    return desk(tmp_path, ALEXANDROS_OPERATOR="operator@example.org")


@pytest.fixture
def game(context, mails):
    return begin_game(context, mails, "Anna", "Ben", "Cleo", "Dirk")


@pytest.fixture
def names(context, game):
    first = mover(context, game)
    return [first, *(name for name in names_of(context, game) if name != first)]


def returns(context, mails, name, now, reply):
    """The last letter to a player comes back with these words of a mail server."""
    letter = mails.to(name)[-1]
    text = report(mails, letter, status=code if "." in (code := reply.split()[1]) else "5.0.0")
    said = text[text.index("Diagnostic-Code") :].partition("\n\n")[0]
    text = text.replace(said, f"Diagnostic-Code: smtp; {reply}")
    assert comes(context, text, envelope_of(mails, letter), now)[0] == "played"


def state(context, game, names, now):
    """Whose address is marked and whose clock stands, and whether the operator sees a fault of ours."""
    marked = [name for name in names if fails(context, game, name)]
    assert marked == [name for name in names if halted(context, game, name)]
    mended(context, game)
    add_store_checks(context, lambda: now)
    mailed = rows_of(context, OperatorMail.matter)
    seen = {
        "letters" in context.health.find_failing(),
        mailed == [OperatorMatter.LETTERS_REFUSED],
        any("our fault" in line for line in describe_backlog(context, now)),
    }
    assert len(seen) == 1, "the operator hears of it in each way or in none"
    return marked, seen.pop()


@pytest.mark.parametrize("reply", [*OURS, *THEIRS])
def test_one_report_is_judged_by_its_code_and_words(context, game, names, mails, clock, caplog, reply):
    returns(context, mails, names[0], clock(), reply)
    ours = reply in OURS
    assert state(context, game, names, clock()) == ([] if ours else names[:1], ours)
    assert ("came back for a fault of this server" in caplog.text) is ours
    assert bool(told(context, game, names[1])) is not ours


def test_several_readers_within_an_hour_are_no_coincidence_and_their_marks_go(
    context, game, names, mails, clock
):
    for name in names[:2]:
        returns(context, mails, name, clock.forward(0.2), UNKNOWN)
    assert state(context, game, names, clock()) == (names[:2], False), "the control: two are marked"
    for name in names[2:]:
        returns(context, mails, name, clock.forward(0.2), UNKNOWN)
    assert state(context, game, names, clock()) == ([], True)


def test_readers_whose_letters_come_back_hours_apart_fail_each_alone(context, game, names, mails, clock):
    for name in names:
        returns(context, mails, name, clock.forward(1.1), UNKNOWN)
    assert state(context, game, names, clock()) == (names, False)


def test_the_letter_of_a_turn_goes_again_and_a_dead_address_is_marked_in_the_end(
    context, game, names, mails, clock
):
    """The fault of three is mended at once; the mover's address is dead all the same."""
    for name, reply in zip(reversed(names), (*OURS[:3], UNKNOWN), strict=True):
        returns(context, mails, name, clock(), reply)
    assert state(context, game, names, clock()) == ([], True)
    for marked in ([], names[:1]):
        sent = len(mails.to(names[0]))
        work_until_idle(context, mails, clock.forward(0.4))
        assert len(mails.to(names[0])) == sent
        work_until_idle(context, mails, clock.forward(0.1))
        assert len(mails.to(names[0])) == sent + 1
        returns(context, mails, names[0], clock(), UNKNOWN)
        assert [name for name in names if fails(context, game, name)] == marked
