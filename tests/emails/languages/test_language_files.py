"""The files of a language are read and checked, and a folder with other words in it is a language."""

import re
import tomllib
from pathlib import Path

import pytest

from emails.languages import lexicon, supported_languages
from emails.languages.supported_languages import FOLDERS, HERE, LANGUAGES, REPLY_MARKERS, InvalidLanguage
from emails.replies.game_requests import read_game_request
from emails.replies.grammars import GameGrammar
from emails.replies.parsed_mail import Mail
from emails.replies.reply_reader import Message, read_reply
from emails.terms import USUAL_TIME
from emails.wording.requests import RequestKind
from engine.actions import Unreadable
from engine.notation.orders import spell_out
from engine.notation.parser import NO_CHOICES, parse
from engine.plans import PlanReader, write_plan
from tests.emails.languages.inventing import CODE, LANGUAGE, Inventor, invent_words, spoken
from tests.emails.positions import BOARD
from tests.emails.replies.desk import DOMAIN, mail
from tests.emails.replies.test_phrases import WRITER
from tests.spoken import translate_orders


def read_all(folder: Path) -> lexicon.LanguageWords:
    return supported_languages.read_folder(lexicon.LanguageWords, folder)


@pytest.fixture(scope="module")
def invented(tmp_path_factory):
    """The folder of a language that nobody speaks, and what invents its words; it is spoken here."""
    folder = tmp_path_factory.mktemp("languages") / CODE
    inventor = invent_words(folder)
    with spoken(folder):
        yield folder, inventor


def changed(folder: Path, to: Path, name: str, old: str, new: str) -> Path:
    """A copy of a folder in which one file says something else."""
    copy = to / CODE
    copy.mkdir()
    for file in folder.glob("*.toml"):
        text = file.read_text("utf-8")
        if file.name == name:
            assert old in text
            text = text.replace(old, new, 1)
        (copy / file.name).write_text(text, "utf-8")
    return copy


# --- a language is its folder ---------------------------------------------------------------------------


def test_the_readme_names_each_file_of_a_folder_and_each_file_it_names_is_there():
    text = (HERE / "README.md").read_text("utf-8")
    rows = [line for line in text.splitlines() if line.startswith("- `")]
    named = {name for row in rows for name in re.findall(r"`([\w.]+)`", row.split("`: ")[0] + "`")}
    for language in LANGUAGES:
        here = {file.name for file in FOLDERS[language].iterdir()}
        assert here == {name for name in named if language != "en" or not name.endswith(".po")}
    for name in re.findall(r"`(tests/[\w/]+\.py)`", text):
        assert (HERE.parent.parent / name).is_file()
    for name in re.findall(r"`(\w+\.toml)`", text):
        assert (HERE / name).is_file() or (HERE / "en" / name).is_file()


def test_each_language_has_a_word_for_everything_that_english_has_one_for():
    for language in LANGUAGES:
        own = read_all(FOLDERS[language])
        assert own.requests.shown.keys() == set(RequestKind)
        assert all(own.remarks.numbers.values())
        assert all(place in BOARD.places for place in own.orders.places)


def test_an_invented_language_is_read_and_said(invented):
    _, inventor = invented
    say = inventor.known
    assert LANGUAGES[CODE] == LANGUAGE["name"]
    assert REPLY_MARKERS[CODE] == LANGUAGE["marker"]
    assert translate_orders("choose lyre; draw", CODE) == f"{say['choose']} {say['lyre']}; {say['draw']}"
    known = lexicon.lexicon_of(CODE).orders
    takeover = "takeover Aegae+Larissa give horse+horse"
    for line in ("choose lyre", "march Larissa A3-B4-C5", takeover, "occupy Troy; end"):
        for order, words in zip(line.split("; "), translate_orders(line, CODE).split("; "), strict=True):
            (said,) = parse(words.upper(), BOARD, NO_CHOICES, known)
            assert spell_out(said, BOARD) == order
    (said,) = parse(f"{say['occupy']} žatroj {say['and']} Žalari", BOARD, NO_CHOICES, known)
    assert {*said.places} == {BOARD.places["Troy"], BOARD.places["Larissa"]}


def test_no_word_of_a_third_language_is_read_or_suggested(invented):
    _, inventor = invented
    for language, line in (("nl", inventor.say("draw")), (CODE, "trek"), ("en", "trek"), ("en", "marcheer")):
        with pytest.raises(Unreadable) as caught:
            parse(line, BOARD, NO_CHOICES, lexicon.lexicon_of(language).orders)
        foreign = {word for own in LANGUAGES if own not in ("en", language) for word in words_of(own)}
        assert not foreign & {*caught.value.did_you_mean}
    for language in LANGUAGES:
        (said,) = parse("draw", BOARD, NO_CHOICES, lexicon.lexicon_of(language).orders)
        assert said.verb == "draw"


def words_of(language: str) -> set[str]:
    own = lexicon.words_of(language).vocabulary
    return {*own.verbs, *own.symbols}


def said(text: str, language: str) -> Message:
    return read_reply(Mail(mail(text)), GameGrammar(BOARD, lexicon=lexicon.lexicon_of(language)))


def test_a_mail_in_an_invented_language_is_read_whole(invented):
    _, inventor = invented
    say = inventor.say
    text = (
        f"{say('good morning')}!\n\n{say('choose horse')}\n{say('draw; take lyre')}\n"
        f"{say('my cards')}\n{say('say')}: hoi\n\n{say('many thanks')}\n\nvrok 3 Ben pumixeb:\n> draw"
    )
    found = said(text, CODE)
    assert not found.doubtful, found.reason
    orders = [spell_out(one, BOARD) for line in found.orders for one in line.orders]
    assert orders == ["choose horse", "draw", "take lyre"]
    assert [one.kind for one in found.requests] == [RequestKind.HAND]
    assert found.chat == (f"{say('say')}: hoi",)
    assert not [line for line in said(text, "nl").orders if not line.refusal]


def test_what_takes_an_order_back_is_known_in_every_language(invented):
    _, inventor = invented
    for language in LANGUAGES:
        for doubt in (inventor.say("not yet"), "nog niet", "wait", inventor.say("maybe")):
            assert said(f"draw\n\n{doubt}", language).doubtful, (language, doubt)


def test_a_game_is_asked_for_in_an_invented_language(invented):
    _, inventor = invented
    lines = ("two strong houses", "without advice", "48 hours per turn")
    text = "\n".join((*map(inventor.say, lines), f"{inventor.say('language')}: Kelim"))
    found = read_game_request(Mail(mail(text)), WRITER, DOMAIN)
    assert (found.houses, found.time) == (("strong",) * 2, USUAL_TIME)
    assert (found.advice, found.language) == (False, CODE)
    assert found.unread == ()


@pytest.mark.parametrize(
    ("asked", "language"),
    [("Nederlands", "nl"), ("Dutch", "nl"), ("nl", "nl"), ("English", "en"), ("en", "en"), ("Deutsch", "")],
)
def test_a_language_is_asked_for_by_its_name_and_its_code(asked, language):
    found = read_game_request(Mail(mail(f"language: {asked}")), WRITER, DOMAIN, usual="xx")
    assert found.language == (language or "en")
    assert bool(found.unread) == (not language)


def test_a_language_that_is_taken_away_is_spoken_no_more(tmp_path):
    """What is known of it goes with it, in a house that knew other languages meanwhile."""
    folder = tmp_path / "ia"
    inventor = invent_words(folder)
    before = lexicon.whole_lexicon()
    with spoken(folder):
        assert lexicon.whole_lexicon().languages == (*before.languages, "ia")
        assert inventor.say("draw") in lexicon.lexicon_of("ia").orders.verbs
        assert lexicon.join_programs(tuple(LANGUAGES))["wrote"].count("pumixeb") == 1
    assert "ia" not in LANGUAGES
    assert lexicon.whole_lexicon() is before


def test_a_plan_is_read_and_written_in_it(invented):
    _, inventor = invented
    known = lexicon.lexicon_of(CODE)
    reader = PlanReader(BOARD, known.plans)
    said = "if Troy is free and the display has a horse: play lyre; march Troy C5; draw; then draw"
    plan = reader.read(said)
    text = write_plan(plan, BOARD, lexicon.words_of(CODE).plan_words)
    assert inventor.say("is free") in text
    assert reader.read(f"{inventor.say('my plan')}: {text}") == plan


# --- what is wrong with a file --------------------------------------------------------------------------


FAULTS = tomllib.loads(Path(__file__).with_name("faults.toml").read_text("utf-8"))["faults"]


@pytest.mark.parametrize(("name", "old", "new", "why"), FAULTS)
def test_a_file_that_is_wrong_is_refused_by_a_sentence_that_names_the_place(
    invented, tmp_path, name, old, new, why
):
    folder, inventor = invented
    texts = (old, new, why)
    old, new, why = (re.sub(r"\{(\w+)\}", lambda word: inventor.say(word[1]), one) for one in texts)
    copy = changed(folder, tmp_path, name, old, new)
    with pytest.raises(InvalidLanguage) as caught:
        read_all(copy)
    assert str(caught.value).startswith(f"{CODE}/{name}: ")
    assert why in str(caught.value)
    assert str(caught.value).endswith(".")


def test_a_file_that_is_missing_is_named(invented, tmp_path):
    copy = changed(invented[0], tmp_path, "orders.toml", "give", "give")
    (copy / "votes.toml").unlink()
    with pytest.raises(InvalidLanguage, match=r"vo/votes.toml: the file is missing."):
        read_all(copy)


def test_a_marker_that_mail_programs_would_break_is_refused(invented, tmp_path):
    copy = changed(invented[0], tmp_path, "language.toml", "--- Ropul kaz ---", "-" * 40)
    with pytest.raises(InvalidLanguage, match="marker: Value should have at most 39"):
        supported_languages.add_language(copy)


def test_an_inventor_gives_each_word_one_of_its_own():
    inventor = Inventor()
    words = [inventor.invent(f"word{number}") for number in range(1200)]
    assert len({*words}) == len(words)
