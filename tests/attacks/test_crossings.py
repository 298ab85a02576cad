"""Every kind of key at every door of every other: none passes, neither whole nor cut nor joined."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from emails.tokens import Purpose
from tests.attacks.kinds import (
    HEAD_DOORS,
    HOME,
    KINDS_OF,
    MAIL_DOORS,
    PAGE_DOORS,
    every_kind,
    knock,
    passed,
    tries,
)
from tests.attacks.reading import DOMAIN
from tests.attacks.small_world import World


@pytest.fixture(scope="module")
def keys(tmp_path_factory) -> Iterator[tuple[World, dict[str, str]]]:
    folder: Path = tmp_path_factory.mktemp("keys")
    return every_kind(folder)


def test_one_of_each_kind_was_found(keys):
    _, kinds = keys
    assert kinds.keys() == HOME.keys()
    assert len(set(kinds.values())) == len(kinds), "two kinds are one and the same text"


def test_every_purpose_of_a_key_has_its_kinds_and_every_kind_its_purpose():
    assert KINDS_OF.keys() == set(Purpose)
    sealed = [kind for kinds in KINDS_OF.values() for kind in kinds]
    assert sorted(sealed) == sorted(HOME.keys() - {"game"})  # the name of a game is in clear


def test_each_whole_one_is_tried_at_each_door_that_is_not_its_own(keys):
    _, kinds = keys
    for places in (PAGE_DOORS, HEAD_DOORS, MAIL_DOORS):
        tried = {(kind, door) for kind, _, door in tries(kinds, 0, places)}
        assert tried == {(kind, door) for kind in HOME for door in places if door not in HOME[kind]}


def crossed(keys, number: int, places: tuple[str, ...]) -> list[tuple[str, str]]:
    world, kinds = keys
    tried = tries(kinds, number, places)
    return sorted({(kind, door) for kind, text, door in tried if passed(door, knock(world, door, text))})


def test_no_whole_key_opens_another_kinds_page(keys):
    assert crossed(keys, 180, PAGE_DOORS) == []


def test_no_key_passes_as_a_cookie_or_as_the_key_of_a_program(keys):
    assert crossed(keys, 60, HEAD_DOORS) == []


def test_no_key_acts_in_an_address_of_another_kind(keys):
    world, kinds = keys
    before, found = world.stored(), []
    for kind, text, door in tries(kinds, 60, MAIL_DOORS):
        state = world.write("anna@example.org", f"{door}{text[:60]}@{DOMAIN}", "yes\naccept\nresign")
        if state == "played" or world.stored() != before:
            found.append((kind, door))
            before = world.stored()
    assert found == []


@pytest.mark.long
def test_of_ten_thousand_tries_none_passes(keys, figure):
    found = crossed(keys, 10_000, PAGE_DOORS + HEAD_DOORS)
    figure(f"{len(found)} of 10,000 crossings between kinds of keys pass")
    assert found == []
