"""The token of a button: good for what it was made for, and for a day."""

from datetime import timedelta

import pytest

from emails.tokens import KeyRing
from server.web.kit.request_context import TOKEN_LIFETIME, CsrfSigner
from tests.server.desk import NOON

KEYS = KeyRing((b"a secret of more than sixteen letters",))
SECOND = timedelta(seconds=1)
TOKEN = CsrfSigner("play é", KEYS, NOON).sign("").decode()


@pytest.mark.parametrize(
    ("later", "good"),
    [
        (timedelta(), True),
        (TOKEN_LIFETIME, True),
        (TOKEN_LIFETIME + SECOND, False),
        (-TOKEN_LIFETIME, True),
        (-TOKEN_LIFETIME - SECOND, False),
    ],
)
def test_a_token_is_good_for_a_day_and_for_clocks_that_differ(later, good):
    assert CsrfSigner("play é", KEYS, NOON + later).accepts(TOKEN) is good


def test_a_token_is_good_for_its_subject_and_its_secret_alone():
    assert not CsrfSigner("play", KEYS, NOON).accepts(TOKEN)
    assert not CsrfSigner("play é", KeyRing((KEYS.secrets[0] + b"!",)), NOON).accepts(TOKEN)
    assert len(CsrfSigner("x" * 2000, KEYS, NOON).sign("")) == len(TOKEN) < 60


@pytest.mark.parametrize(
    "given", ["", ".", "..", "é" * 9, TOKEN[1:], TOKEN[:-1], TOKEN + "A", f"x{TOKEN}", ".A." + "A" * 9000]
)
def test_what_we_did_not_sign_is_no_token(given):
    assert not CsrfSigner("play é", KEYS, NOON).accepts(given)
