"""The attacks of this folder can succeed: each file has one that does once its defence is taken out."""

from collections.abc import Iterator
from datetime import timedelta
from hashlib import sha256

import pytest
from sqlmodel import Session, select

from emails import tokens
from server import settings
from server.accounts import addresses, sign_in
from server.delivery import composition
from server.store.models import Seating
from server.web.api import api_routes
from server.web.game import viewers
from server.web.kit import forms, visitors
from tests.attacks import test_copied_recipient as copied_recipient
from tests.attacks import test_crossings as crossings
from tests.attacks import test_curious_operator as curious_operator
from tests.attacks import test_curious_opponent as curious_opponent
from tests.attacks import test_forwarded_letter as forwarded_letter
from tests.attacks import test_lost_phone as lost_phone
from tests.attacks import test_mail_scanner as mail_scanner
from tests.attacks import test_neighbour_site as neighbour_site
from tests.attacks import test_stolen_database as stolen_database
from tests.attacks.kinds import every_kind
from tests.attacks.reading import DOMAIN
from tests.attacks.test_stolen_database import cells
from tests.server import beginnings

forwarded, lost, worlds = forwarded_letter.held, lost_phone.held, curious_opponent.worlds


@pytest.fixture(autouse=True)
def nothing_kept(monkeypatch) -> Iterator[None]:
    """No key, and no beginning of a game, that was made without its defence is used by a later test."""
    monkeypatch.setattr(beginnings, "KEPT", {})
    kept = (tokens._derive, tokens._fernet)
    for made in kept:
        made.cache_clear()
    yield
    for made in kept:
        made.cache_clear()


@pytest.fixture
def one_key(monkeypatch) -> None:
    """One key for everything: what is sealed for one purpose passes for another."""
    monkeypatch.setattr(tokens, "_derive", lambda secret, purpose: sha256(secret).digest())


def test_a_lost_phone_without_an_end_of_links_that_sign_in(lost, monkeypatch):
    monkeypatch.setattr(sign_in, "SIGN_IN_LINK_VALID", timedelta(days=1))
    with pytest.raises(AssertionError):
        lost_phone.test_a_link_to_sign_in_is_good_for_ten_minutes(lost)


def test_a_lost_phone_without_forgetting_who_plays_at_once(lost, monkeypatch):
    monkeypatch.setattr(visitors, "forget_players", lambda: None)
    with pytest.raises(AssertionError):
        lost_phone.test_signing_out_ends_one_click(lost)


def test_a_forwarded_letter_without_generations(forwarded, monkeypatch):
    def seats_of(session: Session, player: int) -> list[Seating]:
        return list(session.exec(select(Seating).where(Seating.player == player)))

    monkeypatch.setattr(addresses, "raise_generations", seats_of)
    end = forwarded_letter.ENDS["the button of the settings"]
    with pytest.raises(AssertionError):
        forwarded_letter.test_all_links_of_the_letter_have_ended_after(forwarded, end)


@pytest.mark.breadth
def test_a_forwarded_letter_of_a_finished_game_without_its_end(tmp_path, monkeypatch):
    monkeypatch.setattr(viewers, "_check_may_write", lambda seating: None)
    monkeypatch.setattr(viewers.TicketContext, "sign_in_link", "")
    with pytest.raises(AssertionError):
        forwarded_letter.test_a_ticket_of_a_finished_game_only_reads(tmp_path)


def test_a_curious_opponent_without_keyed_tags(worlds, monkeypatch):
    monkeypatch.setattr(
        api_routes, "version_tag", lambda found: sha256(found.history.digest.encode()).hexdigest()[:32]
    )
    with pytest.raises(AssertionError):
        curious_opponent.test_the_api_tells_nobody_a_card_not_even_in_its_tags(worlds)


def test_a_copied_recipient_with_one_key_for_everything(one_key, world):
    with pytest.raises(AssertionError):
        copied_recipient.test_the_address_of_a_proposal_opens_no_page(world)


@pytest.mark.breadth
def test_crossings_with_one_key_for_everything(tmp_path, one_key):
    with pytest.raises(AssertionError):
        crossings.test_no_whole_key_opens_another_kinds_page(every_kind(tmp_path))


def test_a_mail_scanner_where_links_play_at_once_without_a_choice(tmp_path, monkeypatch):
    monkeypatch.setattr(visitors, "plays_at_once", lambda player: True)
    with pytest.raises(AssertionError):
        mail_scanner.test_a_browser_that_only_accepted_plays_nothing_by_itself(tmp_path)


def test_a_curious_operator_where_any_secret_is_taken(monkeypatch):
    monkeypatch.setattr(settings, "check_secret", lambda text: None)
    with pytest.raises(pytest.fail.Exception):
        curious_operator.test_a_weak_secret_is_refused_with_a_sentence("passwordpassword")


@pytest.mark.breadth
def test_a_stolen_database_whose_mails_are_not_encrypted(tmp_path, monkeypatch):
    for name in ("encrypt", "decrypt"):
        monkeypatch.setattr(tokens.KeyRing, name, lambda self, data: data)
    world, kinds = every_kind(tmp_path)
    world.write("anna@example.org", f"play+{kinds['reply']}@{DOMAIN}", "board")
    with pytest.raises(AssertionError):
        stolen_database.test_no_live_key_lies_there_in_clear((world, kinds, cells(world.file)), "reply")


@pytest.mark.breadth
def test_a_stolen_database_whose_letters_keep_their_links(tmp_path, monkeypatch):
    monkeypatch.setattr(composition, "mask_tokens", lambda text: text)
    world, kinds = every_kind(tmp_path)
    with pytest.raises(AssertionError):
        stolen_database.test_no_live_key_lies_there_in_clear((world, kinds, cells(world.file)), "way back")


def test_a_neighbours_site_where_buttons_need_no_token(world, game, monkeypatch):
    monkeypatch.setattr(forms, "is_csrf_valid", lambda: True)
    with pytest.raises(AssertionError):
        neighbour_site.test_a_post_from_another_site_does_nothing(world, game)
