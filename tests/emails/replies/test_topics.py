"""Mails about time in other words: what is plain is done, what is likely is asked, talk is left alone."""

from datetime import date

import pytest

from emails.languages.lexicon import lexicon_of
from emails.replies.time_requests.clauses import Speaker
from emails.replies.time_requests.guesses import guess_request
from emails.wording.requests import Request, RequestKind

WEDNESDAY = date(2026, 6, 10)
NAMES = frozenset(("anna", "ben", "cleo", "dirk"))


def speaker(who="cleo", mover="anna", paused=False):
    return Speaker(frozenset((who,)), NAMES - {who}, frozenset((mover,)), WEDNESDAY, paused)


def done(words, language="en", **game):
    """What a mail does without a question."""
    guess = guess_request([words], lexicon_of(language), speaker(**game))
    return guess.meanings if guess is not None and guess.plain else ()


def likely(words, language="en", **game):
    """What a mail is guessed to ask for, the best first."""
    guess = guess_request([words], lexicon_of(language), speaker(**game))
    return () if guess is None else guess.meanings


AWAY_UNTIL_SUNDAY = Request(RequestKind.AWAY, "2026-06-10 - 2026-06-14")
PLAIN = [
    ("en", "AFK until Sunday", AWAY_UNTIL_SUNDAY),
    ("en", "Lads, I'm off to Spain until Sunday", AWAY_UNTIL_SUNDAY),
    ("en", "You won't see me here before the 20th", Request(RequestKind.AWAY, "2026-06-10 - 2026-06-19")),
    ("nl", "Tot maandag hoef je niet op mij te rekenen", AWAY_UNTIL_SUNDAY),
    ("en", "Hello again, I have recovered", Request(RequestKind.BACK)),
    ("nl", "we zijn eerder teruggekomen", Request(RequestKind.BACK)),
    ("en", "could you nudge Anna", Request(RequestKind.NUDGE, "anna")),
    ("en", "Could you please remind Anna?", Request(RequestKind.NUDGE, "anna")),
    ("en", "poke whoever is to move, thanks", Request(RequestKind.NUDGE)),
    ("en", "tell Anna we're waiting for her", Request(RequestKind.NUDGE, "anna")),
    ("en", "Please send Anna a friendly reminder.", Request(RequestKind.NUDGE, "anna")),
    ("nl", "Por Anna eens", Request(RequestKind.NUDGE, "anna")),
    ("nl", "Geef Anna een duwtje!", Request(RequestKind.NUDGE, "anna")),
    ("nl", "stuur nog een herinnering naar Anna", Request(RequestKind.NUDGE, "anna")),
    ("en", "Anna needs more time", Request(RequestKind.MORE_TIME)),
]


@pytest.mark.parametrize(("language", "words", "asked"), PLAIN)
def test_what_is_plain_in_other_words_is_done(language, words, asked):
    assert done(words, language) == (asked,)


TALK = [
    ("en", "I'm back in the lead"),
    ("en", "I'm back to square one"),
    ("en", "I'm home free"),
    ("en", "the tournament is on holiday until Monday"),
    ("en", "I am home until Friday"),
    ("en", "I've been away until today"),
    ("en", "I'd love to be away until Friday"),
    ("en", "We could all be away until Friday"),
    ("en", "My husband is away until Friday"),
    ("en", "Ben was away until Friday"),
    ("en", "If Cleo wins I am away until Friday"),
    ("en", "I'm on holiday until Friday, so I can play all day"),
    ("en", "I'm off on Friday, so I can play all day"),
    ("en", "let's pause our war"),
    ("en", "no pause please"),
    ("en", "the pause button on my remote is broken"),
    ("en", "don't poke Anna"),
    ("en", "remind me tomorrow"),
    ("en", "I nudged Anna yesterday"),
    ("en", "did you remind Anna?"),
    ("en", "nudge Anna if she is late"),
    ("nl", "herinner mij eraan"),
    ("nl", "ik heb Anna al gepord"),
    ("en", "someone should nudge Anna's guard out of Memphis"),
    ("en", "Give Anna more time? No way"),
    ("en", "On holiday from 10 July to 3 July"),
    ("nl", "fijne vakantie tot de 20e"),
    ("nl", "ik ben weg, tot zo"),
    ("nl", "Ben is weg tot vrijdag"),
    ("nl", "Ben zei dat hij weg is tot vrijdag"),
    ("nl", "ik ben terug in de race"),
    ("nl", "Ik ben tot vrijdag thuis"),
    ("nl", "zullen we de oorlog pauzeren"),
    ("nl", "pauze is voor watjes"),
    ("en", "I'm going away on Friday"),
    ("en", "I'm away on Friday evening"),
    ("en", "Should I drop my plan?"),
    ("en", "My plan was to win by Friday."),
    ("nl", "ik ga vrijdag weg"),
]


@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("en", "maybe the other card, and march far away, then draw"),
        ("en", "throw away my card and march"),
        ("nl", "misschien die andere kaart, marcheer ver weg en trek dan"),
    ],
)
def test_orders_that_name_no_days_are_not_asked_for_them(language, words):
    assert guess_request([words], lexicon_of(language), speaker("anna")) is None


@pytest.mark.parametrize(("language", "words"), TALK)
def test_talk_and_what_is_not_certain_does_nothing(language, words):
    assert done(words, language) == ()


@pytest.mark.parametrize(
    ("words", "asked"),
    [
        ("can I get two more days", Request(RequestKind.MORE_TIME)),
        ("Is it possible to push my deadline back to Friday?", Request(RequestKind.MORE_TIME)),
    ],
)
def test_whoever_asks_for_an_amount_is_told_first_what_there_is(words, asked):
    assert done(words, who="anna") == ()
    assert likely(words, who="anna")[0] == asked


@pytest.mark.parametrize(
    ("language", "words", "last"),
    [
        ("en", "can we pause until 21 June", "2026-06-21"),
        ("en", "let's pause for a week", "2026-06-17"),
        ("en", "let's pause for a bit", ""),
        ("en", "pause until Friday, or until Sunday", ""),
        ("nl", "zullen we pauzeren t/m zondag", "2026-06-14"),
    ],
)
def test_the_end_of_a_pause_is_proposed(language, words, last):
    assert likely(words, language) == (Request(RequestKind.PAUSE, last),)


@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("en", "I sleep from a quarter to eleven to seven"),
        ("en", "I'm awake from 7 am to 11 pm"),
        ("en", "I never play on Sundays"),
        ("nl", "Ik slaap van 23 tot 7"),
        ("nl", "ik ben op maandag altijd vrij"),
    ],
)
def test_who_tells_of_nights_or_weekends_is_shown_where_they_are_set(language, words):
    assert done(words, language) == (Request(RequestKind.REST),)


@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("en", "I'm leaving for Italy on Saturday and I'm back on the 20th"),
        ("nl", "Wij gaan zaterdag met vakantie en zijn de 19e weer thuis"),
    ],
)
def test_days_of_leaving_and_of_return_in_two_clauses_are_read_together(language, words):
    assert likely(words, language) == (Request(RequestKind.AWAY, "2026-06-13 - 2026-06-19"),)


SEAT_PASSED_ON = [
    ("en", "can Dirk take over my seat?"),
    ("en", "Could Dirk play on for me?"),
    ("en", "How can Dirk take my place?"),
    ("en", "May I give my place to Dirk?"),
    ("en", "Dirk would like to take my seat, is that possible?"),
    ("nl", "kan Dirk mijn plek overnemen?"),
    ("nl", "Mag Dirk voor mij verder spelen?"),
    ("nl", "Kan ik mijn plek aan Dirk geven?"),
    ("nl", "Hoe kan Dirk mijn stoel overnemen?"),
    ("nl", "Dirk wil mijn plek wel overnemen, kan dat?"),
]


@pytest.mark.parametrize(("language", "words"), SEAT_PASSED_ON)
def test_who_asks_whether_somebody_from_outside_can_have_their_seat_is_asked_whether_to_give_it_up(
    language, words
):
    """What a yes does tells how: the seat is offered, and whoever is to have it takes it by its link."""
    writer = Speaker(frozenset(("anna",)), frozenset(("ben", "cleo")), frozenset(("anna",)), WEDNESDAY, False)
    guess = guess_request([words], lexicon_of(language), writer)
    assert guess is not None
    assert guess.meanings == (Request(RequestKind.RESIGN),)
    assert not guess.plain
