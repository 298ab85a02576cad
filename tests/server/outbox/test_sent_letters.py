"""What is known of a letter once it is made, sent or answered, as it is stored."""

import json

import pytest

from emails.letters.kinds import LetterKind
from server.outbox.letter_kinds import AnswerDetail, decode_content, encode_detail
from server.outbox.queue import SentLetter, add_to_detail, forget_sending, read_relay_reply, read_sent_letter

TAKEN = "250 2.0.0 Ok: queued as 4F2B71C0A3"
KNOWN = SentLetter(
    {"a": "draw; end"}, "Friday: your turn", "Friday: welcome", done=True, chosen="2", relay_reply=TAKEN
)


def test_what_is_known_is_read_again():
    assert read_sent_letter(add_to_detail("{}", KNOWN)) == KNOWN


@pytest.mark.parametrize(
    "more",
    [
        SentLetter({"a": "draw"}),
        SentLetter(subject="Monday"),
        SentLetter(chosen="3"),
        SentLetter(relay_reply="250 OK"),
        SentLetter(),
    ],
)
def test_what_was_known_before_stays(more):
    before = json.loads(add_to_detail('{"note": "Shall we?"}', KNOWN))
    changed = json.loads(add_to_detail(json.dumps(before), more))
    assert changed.keys() == before.keys()
    assert sum(changed[key] != before[key] for key in before) == (more != SentLetter())


def test_what_is_written_anew_offers_nothing_of_before_and_is_done_where_it_was():
    again = read_sent_letter(forget_sending(add_to_detail("{}", KNOWN)))
    assert again == SentLetter(answered="Friday: welcome", done=True, chosen="2")


def test_what_an_answer_did_is_no_yes_to_it():
    answer = AnswerDetail(("draw",))
    stored = add_to_detail(encode_detail(answer), SentLetter(subject="Friday"))
    assert read_sent_letter(stored) == SentLetter(subject="Friday")
    assert decode_content(LetterKind.ANSWER, stored) == answer


def test_what_the_relay_said_is_read_by_itself_and_what_is_damaged_says_nothing():
    assert read_relay_reply(add_to_detail("{}", KNOWN)) == TAKEN
    for damaged in ("{}", "", "[]", "3", '{"relay_reply": 3}', '{"relay_reply": "250'):
        assert read_relay_reply(damaged) == ""


def test_of_letters_from_before_nothing_is_known():
    assert read_sent_letter("{}") == SentLetter()
