"""What the links and reply addresses of a letter carry."""

from dataclasses import replace
from urllib.parse import quote, unquote

import pytest

from emails.i18n import Locale, use_locale
from emails.letters import account_letters, game_letters
from emails.tokens import Ticket, unseal_reply, unseal_ticket, unseal_unsubscribe
from emails.wording.options import list_options
from tests.breadth import first
from tests.emails import stored_games
from tests.emails.specimens import (
    TONGUES,
    WAYS,
    letter,
    letter_context,
    page,
)
from tests.gallery import samples
from tests.gallery.samples import GAME, SAMPLE_LINKS
from tests.spoken import translate_orders


@pytest.mark.parametrize("which", first(1, ["three-players", "two-players"]))
@pytest.mark.parametrize("part", first(1, range(3)))
def test_every_button_leads_to_its_choice_by_link_and_by_mail(which: str, part: int) -> None:
    decisions = (*stored_games.turns(which), *stored_games.actions(which))[part::3]
    for number, (at, seat) in enumerate(decisions):
        made, language = stored_games.letter_context(which, at, seat), TONGUES[number % len(TONGUES)]
        with use_locale(Locale(language)):
            letter = game_letters.render_your_turn(replace(made, everything=True))
        offered = {choice for group in list_options(made.view) for choice in group.choices}
        words = {choice.words for choice in offered}
        links = [str(link.get("href")) for link in page(letter).iter("a")]
        tokens = [link.split("/")[4] for link in links if "/t/" in link]
        tickets = [unseal_ticket(token, SAMPLE_LINKS.keys) for token in tokens]
        mails = [link for link in links if link.startswith("mailto:")]
        stops = [link for link in links if "/u/" in link]
        assert len(tickets) + len(mails) + len(stops) == len(links)
        assert {unseal_unsubscribe(link.rpartition("/")[2], SAMPLE_LINKS.keys) for link in stops} == {
            (GAME, seat)
        }
        assert {(ticket.game, ticket.seat, ticket.after) for ticket in tickets} == {(GAME, seat, at)}
        buttons = [ticket.words for ticket in tickets if ticket.words]
        turns = set(letter.choices.values()) - words
        assert set(buttons) <= words | turns
        assert len(buttons) >= min(20, len(words - {""}))
        bodies = {unquote(mail.partition("&body=")[2]) for mail in mails}
        assert {translate_orders(choice, language) for choice in words & set(buttons)} <= bodies
        assert bodies - {translate_orders(choice, language) for choice in words} <= set(letter.choices)
        for mail in mails:
            address = mail.removeprefix("mailto:").partition("?")[0]
            token = address.partition("@")[0].removeprefix("play+")
            assert unseal_reply(token, SAMPLE_LINKS.keys) == (Ticket(GAME, seat, at), 0)
            assert "+" not in mail.partition("?")[2]
            assert " " not in mail


@pytest.mark.parametrize("language", TONGUES)
@pytest.mark.parametrize("name", WAYS)
def test_both_parts_have_the_links_to_the_page_the_settings_and_the_way_out(name: str, language: str) -> None:
    made, game = letter(name, language), letter_context(name)
    assert game.view.me is not None
    ticket = Ticket(game.game, game.view.me, game.after)
    stop = SAMPLE_LINKS.unsubscribe_links(game.game, game.view.me)[0]
    if name.startswith("seat_offered"):  # it can be passed on: no link of it leads to the reader's seat
        for link in (SAMPLE_LINKS.join_link(game.game), stop):
            assert made.text.splitlines().count(link) == 1
        for link in (SAMPLE_LINKS.settings_link(ticket), SAMPLE_LINKS.ticket_link(ticket)):
            assert link not in made.text + made.html
        return
    page = (
        SAMPLE_LINKS.agreements_link if name.startswith(("motion", "absence")) else SAMPLE_LINKS.ticket_link
    )
    expected = [page(ticket), SAMPLE_LINKS.settings_link(ticket)] + [stop] * (not name.startswith("stopped"))
    for link in expected:
        assert made.text.splitlines().count(link) == 1
        assert f'href="{link}"' in made.html


@pytest.mark.parametrize("language", TONGUES)
def test_an_invitation_can_be_accepted_by_link_and_by_mail(language: str) -> None:
    made = letter("invitation", language)
    link = SAMPLE_LINKS.ticket_link(Ticket(GAME, 0, 0, "accept"))
    assert link in made.text
    assert f'href="{link}"' in made.html
    assert "Ben" in made.text
    assert "Cleo" in made.text
    assert "48" in made.text or "2 da" in made.text
    address = SAMPLE_LINKS.reply_address(Ticket(GAME, 0, 0))
    [mail] = [str(one.get("href")) for one in page(made).iter("a") if str(one.get("href"))[:7] == "mailto:"]
    assert mail.startswith(f"mailto:{address}?subject={quote(made.subject, safe='')}&body=")
    word = unquote(mail.partition("&body=")[2])
    assert word == ("yes" if language == "en" else "ja")
    declines = SAMPLE_LINKS.ticket_link(Ticket(GAME, 0, 0, "decline"))
    assert f'href="{declines}"' in made.html
    for part in (made.text, made.html):
        assert f"“{word}”" in part
        assert part.index(link) < part.index(declines) < part.index(f"“{word}”")


@pytest.mark.parametrize("language", TONGUES)
def test_a_proposal_is_confirmed_by_link_and_by_mail_unless_something_is_missing(language: str) -> None:
    made, asked = letter("proposal", language), samples.sample_proposal()
    mails = [link for link in page(made).xpath("//a/@href") if link.startswith("mailto:")]
    yes = {"en": "yes", "nl": "ja"}[language]
    assert mails == [f"mailto:{asked.reply}?subject=Alexandros%3A%20Spring&body={yes}"]
    for part in (made.text, made.html):
        assert asked.page in part
        assert asked.stop in part
        assert asked.page not in letter("proposal-incomplete", language).text
    assert asked.reply not in letter("proposal-incomplete", language).html


@pytest.mark.parametrize("language", TONGUES)
def test_an_address_is_confirmed_by_link_and_by_mail(language: str) -> None:
    made, asked = letter("confirm", language), samples.sample_confirmation()
    assert asked.page in made.text
    assert f'href="{asked.page}"' in made.html
    assert f'href="mailto:{asked.reply}?' in made.html
    assert asked.address in made.text


@pytest.mark.parametrize("language", TONGUES)
def test_the_address_that_was_used_before_has_a_way_back_by_link_and_by_mail(language: str) -> None:
    made, told = letter("moved", language), samples.sample_address_change()
    assert told.page in made.text
    assert f'href="{told.page}"' in made.html
    assert f'href="mailto:{told.reply}?' in made.html
    assert told.address in made.text
    with use_locale(Locale(language)):
        without = account_letters.render_moved(told.name, told.address, "", "")
    assert told.address in without.text
    assert "/c/" not in without.text + without.html
    assert "mailto:" not in without.html
