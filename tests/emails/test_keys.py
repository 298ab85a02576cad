"""Keys: one for each purpose, several secrets at a time, and a table of the documents that names each."""

from itertools import combinations, count

import pytest
from hypothesis import given
from hypothesis import strategies as st

from emails.tokens import SEAL_SIZES, ForgedToken, KeyRing, Purpose, _number
from tests.paths import TOP

OLD, NEW = b"a secret of the house", b"a newer secret of the house"
RING = KeyRing((OLD,))
SEALED = list(SEAL_SIZES)


def test_the_document_describes_each_kind_of_token() -> None:
    text = (TOP / "server/THREATS.md").read_text("utf-8").partition("## Kinds of tokens\n")[2]
    rows = [line.strip("| ").split(" | ") for line in text.partition("\n## ")[0].splitlines()[3:] if line]
    assert [row[0] for row in rows] == list(Purpose)
    assert all(len(row) == 6 and all(row) for row in rows)


def test_no_two_purposes_and_no_two_secrets_share_a_key() -> None:
    derived = [KeyRing((secret,)).derive(purpose) for secret in (OLD, NEW) for purpose in Purpose]
    assert len(set(derived)) == 2 * len(Purpose)
    assert {len(key) for key in derived} == {32}
    assert OLD not in derived


@given(st.binary(max_size=60), st.sampled_from(list(combinations(SEALED, 2))))
def test_what_is_sealed_for_one_purpose_is_nothing_for_another(
    payload: bytes, pair: tuple[Purpose, Purpose]
) -> None:
    for one, other in (pair, pair[::-1]):
        token = RING.seal(one, payload)
        assert RING.unseal(one, token) == payload
        with pytest.raises(ForgedToken):
            RING.unseal(other, token)


def test_the_first_secret_seals_and_all_open() -> None:
    both = KeyRing((NEW, OLD))
    before, after = RING.seal(Purpose.SEAT, b"seat"), both.seal(Purpose.SEAT, b"seat")
    assert both.unseal(Purpose.SEAT, before) == both.unseal(Purpose.SEAT, after) == b"seat"
    assert after == KeyRing((NEW,)).seal(Purpose.SEAT, b"seat")
    with pytest.raises(ForgedToken):
        RING.unseal(Purpose.SEAT, after)
    assert both.decrypt(RING.encrypt(b"mail")) == b"mail"
    with pytest.raises(ForgedToken):
        RING.decrypt(both.encrypt(b"mail"))


def test_two_secrets_of_one_number_are_both_tried() -> None:
    same = next(
        secret for number in count() if _number(secret := b"secret number %d" % number) == _number(OLD)
    )
    token = RING.seal(Purpose.ACT, b"act")
    assert KeyRing((same, OLD)).unseal(Purpose.ACT, token) == b"act"


def test_a_code_follows_from_its_mark_for_who_has_the_secret() -> None:
    codes = RING.codes(Purpose.SIGN_IN, "mark")
    assert codes == RING.codes(Purpose.SIGN_IN, "mark")
    assert not {*codes} & {*RING.codes(Purpose.CONFIRMATION, "mark")}
    assert not {*codes} & {*KeyRing((NEW,)).codes(Purpose.SIGN_IN, "mark")}


def test_there_is_a_code_of_each_secret_the_first_first() -> None:
    (new,), (old,) = (KeyRing((one,)).codes(Purpose.SIGN_IN, "mark") for one in (NEW, OLD))
    assert KeyRing((NEW, OLD)).codes(Purpose.SIGN_IN, "mark") == (new, old)


@given(st.text(max_size=120) | st.text("abcdefghijklmnopqrstuvwxyz234567", max_size=120))
def test_what_nobody_sealed_opens_nothing(token: str) -> None:
    for purpose in SEALED:
        with pytest.raises(ForgedToken):
            RING.unseal(purpose, token)
