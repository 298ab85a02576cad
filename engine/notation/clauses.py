"""Parser for orders in whole sentences, such as "I'll levy with the soldier and then grab the horse".

A line is encoded as a string of signs: one letter or punctuation mark for each word or phrase. Regular
expressions over these signs recognise clauses.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from engine.board import Point, Space
from engine.cards import Symbol
from engine.editions import most_actions
from engine.notation.lexer import BoardNames, ChoiceMeanings, Vocabulary
from engine.notation.orders import Order, Verb

CARD, PLACE, POINT, NUMBER, ORDINAL, LETTER, NAME = "C", "P", "X", "N", "O", "L", "U"
DIGITS = "n"
"""The sign of a number in bare digits, which may be the mark of a list item."""
NUMBERS = NUMBER + DIGITS
SIGNS: Mapping[str, str] = {
    "choose": "c",
    "play": "p",
    "march": "m",
    "stay": "s",
    "draw": "d",
    "take": "t",
    "occupy": "o",
    "takeover": "v",
    "levy": "l",
    "recall": "r",
    "end": "e",
    "put": "u",
    "back": "b",
    "away": "x",
    "going": "q",
    "is": "=",
    "intent": "i",
    "opening": "Y",
    "passed_over": "f",
    "display": "D",
    "hand": "H",
    "supply": "S",
    "blind": "B",
    "card": "K",
    "guard": "G",
    "corner": "Z",
    "choice": "k",
    "turn": "W",
    "at": "@",
    "to": ">",
    "via": "~",
    "from": "F",
    "with": "w",
    "levied": "V",
    "and": "&",
    "then": "^",
    "first": "1",
    "labels": "#",
    "own": "h",
    "give": "g",
    "tax": "T",
}
"""The sign for each kind of phrase."""
DROPPED = frozenset("ifA")  # intent ("I want to"), "please" and articles
ARTICLE = "A"
MOST_SIGNS = 60
LONGEST_PHRASE = 6
PIECE = re.compile(
    r"(?P<count>[0-9]+ ?x\b|\bx ?[0-9]+\b)|(?P<number>[0-9]+)(?![^\W_])"
    r"|(?P<word>[^\W\d_]+[0-9]*(?:['-][^\W\d_]{2,}|'[^\W\d_])*(?![^\W_]))"
    r"|(?P<arrow>-+>|=+>|[\u2192\u27a1\u27f6])|(?P<sign>[.,;:!()+&-])|(?P<blank>\s+)|(?P<other>.)"
)
SEPARATORS = {"+": "&", "!": "."}
VARIATION_SELECTOR = "\ufe0f"
"""The Unicode variation selector, which marks the preceding character as an emoji."""


@dataclass(frozen=True, slots=True)
class SignLine:
    signs: str
    values: tuple[object, ...]

    def part(self, start: int, end: int | None = None) -> SignLine:
        return SignLine(self.signs[start:end], self.values[start:end])

    def named(self, kinds: str) -> list[object]:
        return [value for sign, value in zip(self.signs, self.values, strict=True) if sign in kinds]

    @property
    def cards(self) -> list[Symbol]:
        return [card for card in self.values if isinstance(card, Symbol)]

    @property
    def places(self) -> list[Space]:
        return [place for place in self.values if isinstance(place, Space)]

    @property
    def numbers(self) -> list[object]:
        return self.named(NUMBERS)


def encode_line(
    line: str, names: BoardNames, vocabulary: Vocabulary, letters: frozenset[str] = frozenset()
) -> SignLine | None:
    """Encode the words of a line as signs; None if the line is too long or has a character unknown in orders.

    `letters` name choices offered to the player; if "a" names a choice, "a" is not read as an article.
    """
    plain = line.replace("\u2019", "'").replace("\u2018", "'").replace(VARIATION_SELECTOR, "")
    found: list[tuple[str, object]] = []
    words: list[str] = []
    for piece in PIECE.finditer(plain):
        kind = str(piece.lastgroup)
        if kind == "word" or (kind == "count" and words):
            words.append(piece.group().casefold())
            continue
        if kind == "blank":
            continue
        found += _encode_words(words, names, vocabulary, letters)
        words.clear()
        encoded = _encode_sign(kind, piece.group(), vocabulary)
        if encoded is None or len(found) >= MOST_SIGNS:
            return None
        found.append(encoded)
    found += _encode_words(words, names, vocabulary, letters)
    kept = [one for one in found if one[0] not in DROPPED]
    last = [sign for sign, _ in found if sign.isalpha()][-1:]
    if not kept or len(found) > MOST_SIGNS or last == [ARTICLE]:
        return None
    signs, values = zip(*kept, strict=True)
    return SignLine("".join(signs), values)


def _encode_sign(kind: str, written: str, vocabulary: Vocabulary) -> tuple[str, object] | None:
    if kind in ("number", "count"):
        digits = written.strip("xX ")
        return (DIGITS if kind == "number" else NUMBER, int(digits)) if len(digits) <= 2 else None
    if kind == "arrow":
        return (">", None)
    if kind == "sign":
        return (SEPARATORS.get(written, written), None)
    card = vocabulary.pictures.get(written)
    return None if card is None else (CARD, card)


def _encode_words(
    words: list[str], names: BoardNames, vocabulary: Vocabulary, letters: frozenset[str]
) -> Iterator[tuple[str, object]]:
    at = 0
    while at < len(words):
        for count in range(min(LONGEST_PHRASE, len(words) - at), 0, -1):
            kind = vocabulary.phrases.get(tuple(words[at : at + count]))
            if kind is not None and not (count == 1 and words[at] in letters):
                yield _phrase_sign(kind)
                break
        else:
            count = 1
            yield _encode_word(words[at], names, vocabulary, letters)
        at += count


def _phrase_sign(kind: str) -> tuple[str, object]:
    table, _, number = kind.partition(" ")
    if number:
        return (NUMBER if table == "number" else ORDINAL, int(number))
    return SIGNS[kind], kind


def _encode_word(
    word: str, names: BoardNames, vocabulary: Vocabulary, letters: frozenset[str]
) -> tuple[str, object]:
    if word in letters:
        return (LETTER, word)
    if word in vocabulary.symbols:
        return (CARD, vocabulary.symbols[word])
    place = names.places.get(word) or names.places.get(word.removesuffix("'s"))
    if place is not None:
        return (PLACE, place)
    if word in names.points:
        return (POINT, names.points[word])
    if word in vocabulary.verbs:
        return (SIGNS[vocabulary.verbs[word]], word)
    for kind, known in (
        (ARTICLE, vocabulary.articles),
        ("h", vocabulary.own),
        ("~", vocabulary.passing),
        ("&", vocabulary.joining),
        ("^", vocabulary.following),
        ("g", vocabulary.give),
        ("T", vocabulary.taxes),
        ("K", vocabulary.cards),
        ("G", vocabulary.guards),
        ("Z", vocabulary.points),
        ("W", vocabulary.turns),
    ):
        if word in known:
            return (kind, word)
    return (NAME, word)


ClauseOrders = tuple[Order, ...]
ClauseReader = Callable[[SignLine], ClauseOrders | None]
"""Parses signs as one kind of clause; returns None if they are of another kind."""

SEPARATOR = re.compile(r"[,.;^&:\-]+")
ENDING = re.compile(r"[,.]*")
UNFINISHED = re.compile(r"[;:&^\-][,.]*$")
"""A separator at the end of a line, after which a further clause is missing."""
LABEL = re.compile(r"[#cmvltodpK]:")
BRACKETED = re.compile(r"\(([XPZNn~,@>&]+)\)")
OPENING = re.compile(r"(?:Y[,.;:\-]*)*(?:[\^&],?)?(?:1(?=.*\^)|O(?=[^Ck].*\^))?,?")

POINT_NAME = re.compile(r"[^\W\d_][0-9]+")
ONE_CARD = r"h?N?CK?"
PLACES = r"@?P(?:[,&]+@?P)*"
GUARDS = rf"N?h?G{PLACES}"
GIFT = r"(?:[,&]*gN?CK?(?:[,&]+N?CK?)*)?"
MARCH = r"m?(?:(?:\.Z|[>@~,:^&Z\-]{0,4})(?:P|X|N))+Z?"


def parse_sentences(
    line: str, choices: ChoiceMeanings, names: BoardNames, vocabulary: Vocabulary
) -> ClauseOrders | None:
    """Parse a line written in sentences; None for other lines.

    Also returns None for a line that may mean something else: a line with a number if choices have numbers,
    a single card after "a" if a choice is named "a", or a line with "end" and an exclamation mark.
    """
    if any(mark.isdigit() for mark in choices) and any(map(str.isdigit, POINT_NAME.sub("", line))):
        return None
    encoded = encode_line(line, names, vocabulary)
    if encoded is None or ("e" in encoded.signs and "!" in line):
        return None
    plain = BRACKETED.sub(lambda found: f",{found[1]},", encoded.signs)
    opened = OPENING.match(plain)
    if UNFINISHED.search(plain):
        return None
    parsed = _read_clauses(SignLine(plain, encoded.values), opened.end() if opened else 0, ())
    lettered = line.split(maxsplit=1)[0].casefold() in choices  # "a horse"
    if parsed is None or not _is_a_turn(parsed) or (lettered and parsed[0].verb is None):
        return None
    return parsed


CARD_CHOICES = frozenset((Verb.CHOOSE, Verb.PLAY, Verb.TAKE, None))
NO_ACTIONS = frozenset((Verb.CHOOSE, Verb.PLAY, Verb.MARCH, Verb.STAY, Verb.END))


def _is_a_turn(parsed: ClauseOrders) -> bool:
    """True if the orders form a turn or a part of one: card, march, actions."""
    verbs = [said.verb for said in parsed]
    way = next((verb for verb in (Verb.MARCH, Verb.STAY) if verb in verbs), None)
    if way is not None:
        at = verbs.index(way)
        if at > 1 or not CARD_CHOICES.issuperset(verbs[:at]):
            return False
        verbs = verbs[at + 1 :]
    elif verbs[0] in (Verb.CHOOSE, Verb.PLAY):
        verbs = verbs[1:]
    if verbs[-1:] == [Verb.END]:
        verbs = verbs[:-1]
    return len(verbs) <= most_actions() and NO_ACTIONS.isdisjoint(verbs)


def _read_clauses(line: SignLine, at: int, before: ClauseOrders) -> ClauseOrders | None:
    """Parse the clauses from index `at`, trying the longest clause first; `before` are the earlier orders."""
    signs = line.signs
    ended = ENDING.match(signs, at)
    if ended and ended.end() == len(signs):
        return before or None
    if label := LABEL.match(signs, at):
        at = label.end() if signs[at] in "#K" else at
    ends = [found.start() for found in SEPARATOR.finditer(signs, at + 1)]
    for end in (len(signs), *reversed(ends)):
        said = _read_clause(line.part(at, end), before)
        if said is not None:
            after = SEPARATOR.match(signs, end)
            whole = _read_clauses(line, after.end() if after else end, (*before, *said))
            if whole is not None:
                return whole
    return None


def _read_clause(part: SignLine, before: ClauseOrders) -> ClauseOrders | None:
    if not part.signs.strip(",.;^&:-"):
        return None
    for pattern, reader in CLAUSES:
        if pattern.fullmatch(part.signs):
            said = reader(part)
            if said is not None and _may_follow(pattern, before):
                return said
    return None


def _may_follow(pattern: re.Pattern[str], before: ClauseOrders) -> bool:
    if pattern is BARE_MARCH:
        return all(said.verb in CARD_CHOICES for said in before) and len(before) < 2
    if pattern is BARE_END:  # "The end", "Done!"
        return bool(before)
    if pattern is BARE_CARDS:  # alone they may be the display cards, after guards the payment
        return bool(before) and all(said.verb not in (Verb.OCCUPY, Verb.TAKEOVER) for said in before)
    return True


# --- one reader for each shape of clause ------------------------------------------------------------------


def _with_card(verb: Verb | None) -> ClauseReader:
    def read(part: SignLine) -> ClauseOrders | None:
        is_one = len(part.cards) == 1 and {*part.numbers} <= {1}
        return (Order(verb, tuple(part.cards)),) if is_one else None

    return read


def _alone(verb: Verb) -> ClauseReader:
    return lambda part: (Order(verb),)


def _read_take(part: SignLine) -> ClauseOrders | None:
    return tuple(Order(Verb.TAKE, (card,)) for card in part.cards) if {*part.numbers} <= {1} else None


def _draw(part: SignLine) -> ClauseOrders | None:
    for count in range(1, most_actions() + 1):
        if (part.numbers or [1]) == [count]:
            return (Order(Verb.DRAW),) * count
    return None


def _read_march(part: SignLine) -> ClauseOrders | None:
    """Parse a march such as "C13 via D12" or "Sestos, corner 3"; "via" marks points on the way."""
    passed: list[Point] = []
    ends: list[Point] = []
    corners: list[int] = []
    passing, before = False, ""
    for sign, value in zip(part.signs, part.values, strict=True):
        if sign in ">@^~" or sign == PLACE:
            passing = sign == "~"
        if isinstance(value, Point):
            (passed if passing else ends).append(value)
        elif isinstance(value, int):
            corners.append(value)
        wrong = (sign == PLACE and before == "~") or (sign in NUMBERS and before != "Z")
        if wrong or (sign == "&" and not passing):
            return None
        before = sign
    places, corner = tuple(part.places), next(iter(corners), None)
    parsed = Order(Verb.MARCH, (), places, tuple(ends), passed=tuple(passed), corner=corner)
    whole = len(places) < 2 and len(corners) < 2 and not (corners and ends) and not (passed and len(ends) > 1)
    return (parsed,) if whole and (places or ends or passed or corners) else None


def _card_and_march(part: SignLine) -> ClauseOrders | None:
    for pattern, reader in CARD_CLAUSES:
        found = pattern.match(part.signs)
        if found and WHOLE_MARCH.fullmatch(part.signs, found.end()):
            card, march = reader(part.part(0, found.end())), _read_march(part.part(found.end()))
            if card is not None and march is not None:
                return (*card, *march)
    return None


def _march_with_card(part: SignLine) -> ClauseOrders | None:
    at = part.signs.rindex("w")
    for pattern, reader in CARD_CLAUSES:
        if pattern.fullmatch(part.signs, at + 1):
            card, march = reader(part.part(at + 1)), _read_march(part.part(0, at))
            return None if card is None or march is None else (*card, *march)
    return None


def _occupy(part: SignLine) -> ClauseOrders | None:
    is_counted = {*part.numbers} <= {len(part.places)}
    return (Order(Verb.OCCUPY, (), tuple(part.places)),) if is_counted else None


def _take_over(part: SignLine) -> ClauseOrders | None:
    holder = next(iter(part.named(NAME)), "")
    gift = part.signs.find("g")
    given: list[Symbol] = []
    count = 1
    for value in part.values[gift:] if gift >= 0 else ():
        if isinstance(value, int):
            count = value
        elif isinstance(value, Symbol):
            given += [value] * count
            count = 1
    if len(given) > MOST_GIVEN:
        return None
    return (Order(Verb.TAKEOVER, tuple(given), tuple(part.places), holder=str(holder)),)


MOST_GIVEN = 12


def _recall(part: SignLine) -> ClauseOrders | None:
    is_one = len(part.places) == 1 and {*part.numbers} <= {1}
    return (Order(Verb.RECALL, (), tuple(part.places)),) if is_one else None


def _clause(shape: str, reader: ClauseReader) -> tuple[re.Pattern[str], ClauseReader]:
    return _compile(shape), reader


def _compile(shape: str) -> re.Pattern[str]:
    # "times" excludes plain digits, because "2 draw" may be an item of a list
    return re.compile(shape.replace("N", "[Nn]").replace("times", "N"))


TAXES = r"(?:lT?|Tl)"
FROM_WHOM = rf"(?:F{NAME})?"
CARD_CLAUSES = [
    _clause(rf"c{ONE_CARD}D?|{ONE_CARD}c(?:D)?|{ONE_CARD}Dc", _with_card(Verb.CHOOSE)),
    _clause(
        rf"p{ONE_CARD}H?|{ONE_CARD}H?p|[tc]{ONE_CARD}H|w?{ONE_CARD}H[tc]?|[utp]?{ONE_CARD}x",
        _with_card(Verb.PLAY),
    ),
    _clause(rf"t{ONE_CARD}D?|{ONE_CARD}D?t|{ONE_CARD}Dt?", _with_card(Verb.TAKE)),
    _clause(r"CK?", _with_card(None)),
]
"""Clauses about one card: to choose, play, take or only name it."""
WHOLE_MARCH = _compile(MARCH)
BARE_MARCH = _compile(MARCH.removeprefix("m?"))
BARE_CARDS = _compile(r"N?K")
BARE_END = re.compile(r"e(?:F?h?W)?|hWe")
CLAUSES: Sequence[tuple[re.Pattern[str], ClauseReader]] = [
    *CARD_CLAUSES,
    _clause(
        rf"t{ONE_CARD}(?:&{ONE_CARD})+D?|{ONE_CARD}(?:&{ONE_CARD})+Dt?|{ONE_CARD}(?:&{ONE_CARD})+t",
        _read_take,
    ),
    _clause(rf"(?=m|.*[>~]){MARCH}", _read_march),
    (BARE_MARCH, _read_march),
    _clause(rf"{ONE_CARD}[HDpct]*{MARCH}|[cpt]{ONE_CARD}[HD]?{MARCH}", _card_and_march),
    _clause(rf"{MARCH}w{ONE_CARD}[HD]?", _march_with_card),
    _clause(r"d|dN?(?:K|BK?)S?|dS|dN|N?(?:K|BK?)S?d|timesd|N?BK?S?|N?KS|tN?(?:KS|BK?S?)|tNS|NS", _draw),
    (BARE_CARDS, _draw),
    _clause(rf"{TAXES}[w~]?{ONE_CARD}|Tw{ONE_CARD}|w{ONE_CARD}{TAXES}|{ONE_CARD}V", _with_card(Verb.LEVY)),
    _clause(TAXES, _alone(Verb.LEVY)),
    _clause(rf"o{PLACES}|{PLACES}o|[ou]?{GUARDS}|{GUARDS}[ou]", _occupy),
    _clause(
        rf"v{PLACES}{FROM_WHOM}{GIFT}|{PLACES}{FROM_WHOM}v{FROM_WHOM}{GIFT}"
        rf"|t{PLACES}(?:~{FROM_WHOM}|F{NAME}~?){GIFT}",
        _take_over,
    ),
    _clause(
        r"r@?h?N?G?[@F]?PG?|[tru]h?N?G?[@F]?PG?[br]|tbh?N?G?[@F]?PG?|[tu]h?N?G[br]F?P|h?G[@F]P[br]", _recall
    ),
    (BARE_END, _alone(Verb.END)),
]
"""All clauses in order of preference: the first reader that accepts a clause is used."""


GOING = r"[qctm]?"
CHOICE = re.compile(rf"(?:Y[,.:\-]*)*(?:{GOING}k?\(?L\)?k?=?|Ok)[.,]*")
CHOICES = re.compile(rf"{GOING}k?L(?:,?[&^],?k?L)+[.,]*")


def find_choices(
    line: str, choices: ChoiceMeanings, names: BoardNames, vocabulary: Vocabulary
) -> tuple[str, ...]:
    """Return the letters of the choices in a line such as "b and c" or "the second option"; else ()."""
    letters = frozenset(mark for mark in choices if len(mark) == 1 and mark.isalpha())
    encoded = (
        encode_line(line, names, vocabulary, letters) if letters and len(line) <= LONGEST_ANSWER else None
    )
    if encoded is None or not (CHOICE.fullmatch(encoded.signs) or CHOICES.fullmatch(encoded.signs)):
        return ()
    marks = tuple(map(str, encoded.named(LETTER)))
    for number in encoded.named(ORDINAL):
        mark = chr(ord("a") + int(str(number)) - 1)
        marks = (mark,) if mark in letters else ()
    return marks


LONGEST_ANSWER = 80
