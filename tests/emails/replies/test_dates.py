"""Lines in which people tell that they are away, read on a Tuesday: 24 November 2026."""

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from emails.languages.lexicon import lexicon_of
from emails.replies.time_requests.absences import (
    DateDoubt,
    DateQuestion,
    Interval,
    read_absence,
    read_absence_line,
    seems_absence_line,
)
from emails.replies.time_requests.days import LONGEST

TUESDAY = date(2026, 11, 24)
ENGLISH = """
away until Friday                            | 11-24 11-27
I am away until Friday.                      | 11-24 11-27
until Friday I am away                       | 11-24 11-27
Hi, I'm away until Friday                    | 11-24 11-27
away until Friday 27 November                | 11-24 11-27
away until Friday morning                    | 11-24 11-27
away until tomorrow                          | 11-24 11-25
away today                                   | 11-24 11-24
away on the 5th                              | 12-05 12-05
away until the 5th                           | 11-24 12-05
I am away 3-17 December                      | 12-03 12-17
I’m on holiday 3–17 December                 | 12-03 12-17
3 to 17 December I'm on holiday              | 12-03 12-17
away December 3-17                           | 12-03 12-17
away between 3 and 17 December               | 12-03 12-17
away 3 dec - 17 dec                          | 12-03 12-17
away 3.12. - 17.12.                          | 12-03 12-17
Away: 2026-12-03 to 2026-12-17               | 12-03 12-17
away 12/3 - 12/17                            | 12-03 12-17
I'm away from Monday to Wednesday            | 11-30 12-02
away mon-wed                                 | 11-30 12-02
away Wednesday and Thursday                  | 11-25 11-26
away for two weeks                           | 11-24 12-08
I will be offline from tomorrow for a week   | 11-25 12-01
away for the rest of the week                | 11-24 11-29
away next week                               | 11-30 12-06
I'm away this weekend                        | 11-28 11-29
away until Monday next week                  | 11-24 11-30
away in December                             | 12-01 12-31
away until the end of the month              | 11-24 11-30
away until Christmas                         | 11-24 12-25
away from 20 November to 27 November         | 11-24 11-27
away from 28 December to 3 January           | 12-28 2027-01-03
away 28 December to 3 January 2027           | 12-28 2027-01-03
I am away 3-17 August                        | 2027-08-03 2027-08-17
back on Monday                               | 11-24 11-29
I'll be back on Monday                       | 11-24 11-29
away, back Monday                            | 11-24 11-29
"""  # noqa: RUF001
DUTCH = """
weg tot vrijdag                              | 11-24 11-26
ik ben weg tot vrijdag                       | 11-24 11-26
ik ben tot vrijdag weg                       | 11-24 11-26
weg tot en met vrijdag                       | 11-24 11-27
weg t/m vrijdag                              | 11-24 11-27
weg t.e.m. 17 dec                            | 11-24 12-17
ik ben even weg tot zondag                   | 11-24 11-28
ik ben er niet tot maandag                   | 11-24 11-29
ik ben er tot maandag niet                   | 11-24 11-29
van 3 t/m 17 december ben ik weg             | 12-03 12-17
weg van 3 tot 17 december                    | 12-03 12-17
Ik ben van maandag tot woensdag op vakantie  | 11-30 12-02
ik ben 5 dec weg                             | 12-05 12-05
ik ben twee weken weg                        | 11-24 12-08
ik ben vanaf morgen een week weg             | 11-25 12-01
ik ben volgende week weg                     | 11-30 12-06
ik ben komend weekend weg                    | 11-28 11-29
afwezig tot en met 3-12                      | 11-24 12-03
weg tot en met eind december                 | 11-24 12-31
ik ben weg tot volgende week vrijdag         | 11-24 12-03
ik ben vrijdag terug                         | 11-24 11-26
maandag ben ik weer terug                    | 11-24 11-29
away until Friday                            | 11-24 11-27
"""
ASKED = """
en | away                                    | no end
en | I am away                               | no end
en | away from Friday                        | no end
en | away until 20 November                  | passed
en | away until 2020-01-01                   | passed
en | away until Tuesday                      | several
nl | weg tot dinsdag                         | several
nl | weg van 20 t/m 14 december              | unclear
en | I'm away on mondays                     | unclear
en | away until next Friday                  | several
en | away next weekend                       | several
en | away until 5/6                          | several
en | away until Friday 28 November           | unclear
en | away 12-14                              | unclear
en | away Wednesday and Friday               | unclear
en | away until 31 February                  | unclear
en | away until next week                    | unclear
en | away 1 December to 5 December, back the 7th | unclear
nl | weg                                     | no end
nl | ik ben vanaf vrijdag weg                | no end
nl | weg tot volgende vrijdag                | several
nl | weg tot en met 31 juni                  | unclear
"""
OTHER_LINES = """
en | I was away this weekend, sorry
en | I am away from my desk
en | away until Friday or Saturday
en | I am away until Friday, my mother is ill
en | away until Friday?
en | are you away until Friday
en | I might be away until Friday
en | I am not away until Friday
en | I'm going away on Friday
en | I'm away on Friday evening
en | I'm off on Friday
en | back
en | march away until Friday
nl | ben je weg tot vrijdag
nl | ik ben niet weg tot vrijdag
nl | misschien ben ik weg tot vrijdag
nl | ik ga vrijdag weg
nl | ik ben vrij tot vrijdag
nl | terug
nl | ik was weg tot vrijdag
"""


def table(text: str) -> list[list[str]]:
    return [[cell.strip() for cell in line.split("|")] for line in text.strip().splitlines()]


def day(text: str) -> date:
    return date.fromisoformat(text if len(text) > 5 else f"2026-{text}")


def read(language: str, line: str, today: date = TUESDAY) -> Interval | DateQuestion | None:
    words = lexicon_of(language)
    dates = read_absence_line(line, words)
    return None if dates is None else read_absence(dates, words, today)


@pytest.mark.parametrize(
    ("language", "line", "days"),
    [("en", *row) for row in table(ENGLISH)] + [("nl", *row) for row in table(DUTCH)],
)
def test_days_away_are_read(language, line, days):
    assert read(language, line) == Interval(*map(day, days.split()))


@pytest.mark.parametrize(("language", "line", "doubt"), table(ASKED))
def test_what_is_not_certain_is_asked(language, line, doubt):
    found = read(language, line)
    assert isinstance(found, DateQuestion)
    assert found.doubt == doubt
    assert (len(found.meanings) > 1) == (found.doubt is DateDoubt.SEVERAL)


@pytest.mark.parametrize(("language", "line"), table(OTHER_LINES))
def test_other_lines_are_left_to_others(language, line):
    assert read(language, line) is None


def test_two_weekdays_are_asked_about_by_their_dates():
    found = read("en", "away until next Friday")
    assert isinstance(found, DateQuestion)
    assert [one.last for one in found.meanings] == [date(2026, 11, 27), date(2026, 12, 4)]


def test_a_line_that_tells_days_and_more_is_known_for_one():
    for line in ("away until Friday or Saturday", "I am away until Friday, my mother is ill"):
        assert seems_absence_line(line, lexicon_of("en"))
    for line in ("I am away from my desk", "I was away on Friday", "march Larissa"):
        assert not seems_absence_line(line, lexicon_of("en"))


# --- laws -----------------------------------------------------------------------------------------------

WORDS = {code: sorted(lexicon_of(code).dates.words) for code in ("en", "nl")}
pieces = st.one_of(
    st.sampled_from([*WORDS["en"], *WORDS["nl"], "-", "/", ".", "a"]),
    st.integers(0, 9999).map(str),
    st.builds("{}-{}-{}".format, st.integers(0, 9999), st.integers(0, 20), st.integers(0, 40)),
    st.builds("{}/{}".format, st.integers(0, 40), st.integers(0, 40)),
)
days = st.dates(date(2024, 1, 1), date(2040, 1, 1))


@given(st.lists(pieces, max_size=7).map(" ".join), st.sampled_from(["en", "nl"]), days)
def test_whatever_is_read_lies_ahead_and_in_order(words, language, today):
    found = read(language, f"away {words}", today)
    for one in [found] if isinstance(found, Interval) else found.meanings if found else ():
        assert one.first <= one.last >= today
    if isinstance(found, Interval):
        assert found.first >= today


@given(st.text(max_size=2 * LONGEST), st.sampled_from(["en", "nl"]))
def test_nothing_that_is_written_breaks_it(line, language):
    read(language, line)
    read(language, f"away {line}")


@given(days, days, st.sampled_from(["en", "nl"]))
def test_two_dates_with_their_years_are_what_they_say(one, other, language):
    first, last = sorted((one, other))
    today = first - timedelta(days=30)
    for line in (f"away {first} - {last}", f"away from {first.day} {first:%b} {first.year} until {last}"):
        if language == "en":
            assert read("en", line, today) == Interval(first, last)
    assert read("nl", f"weg van {first} tot en met {last}", today) == Interval(first, last)
