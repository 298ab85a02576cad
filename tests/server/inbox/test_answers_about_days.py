"""Bare replies to the question until when somebody is away: a date alone, in both languages."""

import tomllib
from pathlib import Path

CORPUS = tomllib.loads((Path(__file__).parent / "answers_about_days.toml").read_text(encoding="utf-8"))
REPLIES = [(language, one) for language, replies in CORPUS.items() for one in replies]


def test_twenty_replies_are_written_down_in_each_language():
    assert {language: len(replies) for language, replies in CORPUS.items()} == {"en": 20, "nl": 20}
    assert len({(language, one["said"]) for language, one in REPLIES}) == len(REPLIES)
