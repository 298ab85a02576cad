"""Parse lines into orders, and list the marches, cards and actions that fit an incomplete order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from heapq import heappop, heappush
from itertools import islice, pairwise
from typing import TypeVar

from engine import march_rules
from engine.actions import Action, Choose, Levy, March, Play, Take, TakeOver, Unreadable
from engine.board import Board, Point, Space, corners
from engine.cards import Symbol
from engine.march_rules import Path
from engine.notation.lexer import (
    CANONICAL_VOCABULARY,
    CARD_VERBS,
    BoardNames,
    ChoiceMeanings,
    TokenizedLine,
    Vocabulary,
    find_letter_answer,
    language_of,
    list_numbering,
    names_of,
    number_among_words,
    read_corner_number,
    shorten,
    stray_sign_behind,
    suggest_words,
    tokenize,
    unknown_action,
)
from engine.notation.orders import USAGES, Order, OrderLine, Verb
from engine.position import Phase, Table, View
from engine.provinces import (
    check_payment,
    levy_cards,
    loser_share,
    province_to_conquer,
    removal_cost,
    symbols_on,
)
from engine.rules import card_choices

FIRST_VERBS = frozenset((Verb.CHOOSE, Verb.PLAY, Verb.MARCH, Verb.STAY, Verb.TAKE))


class Segment:
    """The words of one action, up to the first word of the next action."""

    def __init__(self, line: TokenizedLine, start: int) -> None:
        self.line, self.names, self.start = line, line.names, start
        self.terms = line.vocabulary
        self.word = line.tokens[start]
        self.card: Order | None = None
        self.second = self._find_second() if self.word in self.terms.pair_starts else 0
        """Index of the second word of a pair, such as "back" in "take Troy back"; 0: none."""
        pair = self.word, line.tokens[self.second]
        self.verb = self.terms.pairs[pair] if self.second else self._find_verb()
        self.shape = USAGES[self.verb]
        self.place_names = line.names.places if self.shape.places[1] else {}
        self.end = max(start, self.second) + 1
        while self.end < len(line.tokens) and not self._ends_before(self.end):
            self.end += 1
        self.following = self._find_following()
        """Index of the first word of the next action."""

    def _find_second(self) -> int:
        for at, word in enumerate(self.line.tokens[self.start + 1 :], self.start + 1):
            if (self.word, word) in self.terms.pairs and not self.line.is_parted(at):
                return at
            if word not in self.names.places and (word in self.terms.verbs or word in self.terms.following):
                return 0
        return 0

    def _find_verb(self) -> Verb:
        word, start = self.word, self.start
        if word in self.terms.verbs:
            return self.terms.verbs[word]
        verbs = self.terms.verb_beginnings.get(word, {})
        symbols = {} if start else self.terms.symbol_beginnings.get(word, {})
        one_card = len({*symbols.values()}) == 1
        if not start and word in self.terms.symbols:
            self.card = Order(None, (self.terms.symbols[word],))
        elif one_card and len(word) > 2 and FIRST_VERBS.isdisjoint(verbs.values()):
            self.card = Order(None, (*{*symbols.values()},), short=True)
        elif len({*verbs.values(), *symbols.values()}) > 1:
            raise self.ambiguous_word({**verbs, **symbols}, start)
        elif not verbs and not symbols:
            raise unknown_action(self.line.words[start], self.line.text, self.terms)
        elif symbols or Verb.END in verbs.values():  # an exclamation? and an end cannot be undone
            whole, shown = (*verbs, *symbols), self.line.words[start]
            raise Unreadable("“%(word)s” is too short: write the whole word", whole, word=shown)
        return Verb.MARCH if self.card is not None else next(iter(verbs.values()))

    def _ends_before(self, at: int) -> bool:
        word = self.line.tokens[at]
        if word in self.place_names:
            return False
        if word in self.terms.verbs or word in self.terms.following:
            return True
        if (
            word not in self.terms.verb_beginnings
            or word in self.terms.small
            or not self.line.is_parted(at)
            or self.line.gaps[at] == "+"
        ):
            return False
        if named := self.expansions_of(word, gift=False):
            raise self.ambiguous_word({**self.terms.verb_beginnings[word], **named}, at)
        return True

    def _find_following(self) -> int:
        """Return the index of the next action's first word; move `self.end` before words such as "and"."""
        tokens, following = self.line.tokens, self.end
        while following < len(tokens) and tokens[following] in self.terms.parting:
            following += 1
        joined = following > self.end
        while tokens[self.end - 1] in self.terms.joining and tokens[self.end - 1] not in self.place_names:
            self.end, joined = self.end - 1, True
        if joined and following == len(tokens):
            raise Unreadable("say what comes after “%(word)s”", word=self.line.words[-1])
        return following

    def judge_sign(self, at: int) -> None:
        """Check the characters before a word, such as commas and arrows; raises `Unreadable`."""
        sign = self.line.gaps[at].strip()
        path = self.is_point(at - 1) and self.is_point(at) and sign in ("-", "\u2013", ">", "\u2192", "->")
        numbered = self.line.tokens[at - 1] in self.terms.numbered and sign == "."
        between = "," if at < self.end else "."
        if not (path or numbered or {*"".join(sign.split())} <= {",", "+", "&", between}):
            raise Unreadable("“%(word)s” is no word of an action", word=sign)

    # --- the meaning of single words --------------------------------------------------------------------

    def is_point(self, at: int) -> bool:
        """True if the word at index `at` is a point or a number."""
        return self.line.tokens[at] in self.names.points or self.line.is_number(at)

    def expansions_of(self, word: str, *, gift: bool) -> dict[str, Symbol | Space | None]:
        """Return the words that an abbreviation may stand for, each with its meaning; None for "card".

        `gift` is true if the word names cards for the loser of a takeover, and cannot mean a place.
        """
        found: dict[str, Symbol | Space | None] = {}
        if self.shape.symbols[1] and word in self.terms.symbol_beginnings:
            found |= self.terms.symbol_beginnings[word]
            nouns = self.terms.cards | self.terms.taxes if self.verb == Verb.LEVY else self.terms.cards
            found |= dict.fromkeys(noun for noun in nouns if noun.startswith(word))
        if self.shape.places[1] and not gift:
            found |= self.names.begun.get(word, {})
        return found

    def ambiguous_word(self, meanings: Mapping[str, object], at: int) -> Unreadable:
        language = language_of(self.line.tokens, self.terms)
        own = [whole for whole in meanings if self.terms.language_of.get(whole) is language]
        chosen: dict[object, str] = {}
        for whole in (*own, *meanings):
            meaning = meanings[whole]
            chosen.setdefault(meaning, self.names.called[meaning] if isinstance(meaning, Space) else whole)
        guesses = (*chosen.values(),)[:6]
        return Unreadable("“%(word)s” can mean several things", guesses, word=self.line.words[at])


class Waypoints:
    """Collects the points of a march, word by word.

    "via B4" adds one passed point; "via B4-C5" and "via B4 and C5" add two. In "via B4 to C5", the word "to"
    ends the passed points. "from A3" names the start.
    """

    def __init__(self, vocabulary: Vocabulary) -> None:
        self.vocabulary = vocabulary
        self.points: list[Point] = []
        self.passed: list[Point] = []
        self.origin: Point | None = None
        self.corner: int | None = None
        """The number of the final corner."""
        self.way = ""  # the last preposition, such as "via"
        self.named = False  # True once a point follows the preposition

    def take_word(self, word: str) -> None:
        known = self.vocabulary
        silent = word in known.articles or word in known.points or word in known.numbered
        if word in known.joining or (silent and not self.named):
            return
        self.finish()
        if word in known.passing or word in known.leaving:
            self.way = word

    def take_point(self, point: Point) -> None:
        if self.way in self.vocabulary.passing:
            self.passed.append(point)
            self.named = True
            return
        if self.way:
            if self.origin is not None:
                raise Unreadable(USAGES[Verb.MARCH].correction)
            self.origin, self.way = point, ""
            return
        self.points.append(point)

    def take_corner(self, number: int) -> None:
        """Set the number of the final corner; raises `Unreadable` if it is misplaced."""
        if self.way or self.points or self.corner is not None:
            raise Unreadable(USAGES[Verb.MARCH].correction)
        self.corner = number

    def take_place(self) -> None:
        self.way, self.named = "", False

    def finish(self) -> None:
        """End the effect of a preposition; raise `Unreadable` if no point followed it."""
        if self.way and not self.named:
            raise Unreadable("say what comes after “%(word)s”", word=self.way)
        self.way, self.named = "", False


class ArgumentReader:
    def __init__(self, span: Segment, choices: ChoiceMeanings) -> None:
        self.span, self.choices = span, choices
        self.line, self.names, self.verb, self.shape = span.line, span.names, span.verb, span.shape
        self.terms = span.terms
        self.symbols: list[Symbol] = []
        self.places: list[Space] = []
        self.route = Waypoints(span.terms)
        self.small: list[str] = []
        self.ignored = self.terms.small_in_march if self.verb == Verb.MARCH else self.terms.small
        """Words without meaning in this order."""

    def read(self) -> tuple[Order, ...]:
        given = self._count_gift_words() if self.verb == Verb.TAKEOVER else 0
        for at in range(self.span.start + 1, self.span.end):
            if at != self.span.second:
                self._take_word(at, self.span.end - at, given)
        for at in range(self.span.start + 1, min(self.span.following + 1, len(self.line.tokens))):
            self.span.judge_sign(at)
        last = self.span.end - 1
        word = self.line.tokens[last]
        is_argument = last > max(self.span.start, self.span.second) and word not in self.span.place_names
        if is_argument and word in self.ignored and word in self.terms.leading | self.terms.passing:
            raise Unreadable("say what comes after “%(word)s”", word=self.line.words[last])
        if self.span.card is not None and self.span.end == self.span.start + 1:
            return (self.span.card,)
        route = self.route
        route.finish()
        said = Order(
            self.verb,
            tuple(self.symbols),
            tuple(self.places),
            tuple(route.points),
            passed=tuple(route.passed),
            origin=route.origin,
            corner=route.corner,
        )
        self._check_usage(said)
        return (said,) if self.span.card is None else (self.span.card, said)

    # --- names ------------------------------------------------------------------------------------------

    def _count_gift_words(self) -> int:
        """Return the number of words at the end that name the cards for the loser of a takeover."""
        tokens, gaps = self.line.tokens, [*self.line.gaps, ""]
        for at in range(self.span.end - 1, self.span.start, -1):
            if tokens[at] in self.terms.give and gaps[at][-1:].isspace() and gaps[at + 1][:1].isspace():
                rest = [tokens[other] for other in range(at + 1, self.span.end) if other != self.span.second]
                cards = all(
                    word in self.terms.symbols
                    or word in self.terms.small
                    or word in self.terms.symbol_beginnings
                    for word in rest
                )
                return self.span.end - at if cards else 0
        return 0

    def _take_word(self, at: int, left: int, given: int) -> None:
        word, names = self.line.tokens[at], self.names
        if word in self.terms.symbols and (self.verb in CARD_VERBS or left < given):
            self.symbols.append(self.terms.symbols[word])
        elif word in names.places and left != given:
            self._take_place(at, names.places[word])
        elif word in names.points:
            self.route.take_point(names.points[word])
        elif word in self.terms.symbols:
            self.symbols.append(self.terms.symbols[word])
        elif self._means_or(at):
            raise Unreadable("say which one of them you mean")
        elif self._means_another_card(at):
            raise Unreadable("“%(word)s” is no place, point or symbol", word=self.line.words[at])
        elif word in self.ignored:
            self.small.append(word)
            if self.verb == Verb.MARCH:
                self.route.take_word(word)
        elif self.line.is_number(at):
            self._take_number(at)
        elif not self._is_marked_number(at + 1):
            self._take_abbreviation(at, gift=left < given)

    def _means_another_card(self, at: int) -> bool:
        """True if a word such as "card" means another, unnamed card, as in "take horse and a card"."""
        if self.line.tokens[at] not in self.terms.cards or not (self.symbols or self.places):
            return False
        first = at
        while self.line.tokens[first - 1] in self.terms.articles:
            first -= 1
        return self.line.tokens[first - 1] in self.terms.joining or "," in self.line.gaps[first]

    def _means_or(self, at: int) -> bool:
        """True if a word means "or": the Dutch "of" does, but not the English "of" before an owner."""
        tokens = self.line.tokens
        if tokens[at] not in self.terms.either:
            return False
        language = self.terms.language_of.get(self.span.word)
        if language is None or tokens[at] not in language.owning or self.span.card is not None:
            return True
        passed = self.terms.articles | language.own
        whose = next((word for word in tokens[at + 1 : self.span.end] if word not in passed), "")
        nouns = self.terms.points | self.terms.guards
        owned = self.span.is_point(at - 1) or tokens[at - 1] in nouns | {language.name_verb(Verb.END)}
        known = whose in language.turns or whose in self.names.begun or whose in self.span.place_names
        return not (owned and known)

    def _is_marked_number(self, at: int) -> bool:
        """True for a number after a word such as "nr"; "no" needs a dot, because without it "no" negates."""
        line = self.line
        before = line.tokens[at - 1]
        if at >= self.span.end or not line.is_number(at) or before not in self.terms.numbered:
            return False
        first = not self.route.points + self.route.passed
        return before not in self.terms.dotted or (line.gaps[at][:1] == "." and first)

    def _take_place(self, at: int, place: Space) -> None:
        words = self.line.tokens[self.span.start + 1 : at]
        before = next((word for word in reversed(words) if word not in self.terms.articles), "")
        from_it = before in self.terms.leaving
        past_it = before in self.terms.passing and self.span.second != at - 1
        corner_of = before in self.terms.owning and self.verb == Verb.MARCH and self.span.is_point(at - 2)
        if past_it or (from_it and self.verb != Verb.RECALL and not corner_of):
            raise Unreadable(self.shape.correction)
        self.route.take_place()
        self.places.append(place)

    def _take_number(self, at: int) -> None:
        word, after = self.line.tokens[at], at + 1
        if self.verb == Verb.DRAW and not self.terms.cards.isdisjoint(
            self.line.tokens[after : self.span.end]
        ):
            raise Unreadable("say draw once for each card, with a comma between")
        if after == self.span.following < len(self.line.tokens) and self.line.gaps[after].strip(" .") == "":
            if self.verb == Verb.MARCH and not self.line.is_parted(at):
                raise _missing_comma(self.line.words[after])
            raise list_numbering(self.line.words[after])
        if self.verb != Verb.MARCH:
            raise number_among_words(word)
        words = self.choices.get(word.lstrip("#"))
        if words is None:
            self.route.take_corner(read_corner_number(word))
            return
        point = self.names.points.get(words.casefold())
        if point is None:
            raise number_among_words(word)
        self.route.take_point(point)

    def _take_abbreviation(self, at: int, *, gift: bool) -> None:
        word = self.line.tokens[at]
        found = self.span.expansions_of(word, gift=gift)
        if len({*found.values()}) > 1 or (found and len(word) == 1):  # a single letter is a choice
            raise self.span.ambiguous_word(found, at)
        if not found:
            cards = self.terms.symbols if self.shape.symbols[1] or not self.shape.places[1] else ()
            places = self.names.called.values() if self.shape.places[1] or not self.shape.symbols[1] else ()
            everyday = word in self.terms.common
            verbs = self.terms.verbs if self.line.is_parted(at) and not everyday else ()
            like = partial(suggest_words, word, (*cards, *places, *verbs), self.line.text, self.terms)
            shown = shorten(self.line.words[at])
            raise Unreadable("“%(word)s” is no place, point or symbol", like, word=shown)
        (meaning, *_) = found.values()
        if isinstance(meaning, Symbol):
            self.symbols.append(meaning)
        elif meaning is not None:
            self._take_place(at, meaning)

    # --- whether the words form an action ---------------------------------------------------------------

    def _check_usage(self, said: Order) -> None:
        """Check the number and kinds of arguments; raises `Unreadable`."""
        shape, small = self.shape, {*self.small}
        points = bool(said.points + said.passed) or said.corner is not None
        (fewest, most), (least_places, most_places) = shape.symbols, shape.places
        if self.span.card is not None and (said.symbols or not points):
            raise Unreadable("say the card alone, or the card and the corner")
        if (
            not fewest <= len(said.symbols) <= most
            or not least_places <= len(said.places) <= most_places
            or (points and not shape.points)
        ):
            raise Unreadable(shape.correction)
        # "trek een kaart terug" means nothing
        if said.verb == Verb.RECALL and not self.terms.cards.isdisjoint(small):
            raise Unreadable(shape.correction)
        if said.symbols or said.places or points:
            return
        # without a place "take back" means "undo", as the Dutch words do
        undo = (
            said.verb == Verb.RECALL and self.span.word != Verb.RECALL and self.terms.guards.isdisjoint(small)
        )
        beside = self.terms.beside[self.verb]
        if undo or said.verb == Verb.MARCH or len(self.span.word) == 1 or not beside >= small:
            raise Unreadable(shape.correction)
        if self.span.start and not self.line.is_parted(self.span.start):
            raise _missing_comma(self.line.words[self.span.start])


def _missing_comma(word: str) -> Unreadable:
    return Unreadable("put a comma before “%(word)s” if it is an action of its own", word=shorten(word))


MOST_CANDIDATES = 6


def find_marches(table: Table, spaces: Iterable[Space], said: Order) -> list[March]:
    """Return marches to these spaces that fit an order: at most seven to each corner of each space.

    The marches to a corner are ranked by new walls, fewest first. The result contains all marches of rank 1,
    then all marches of rank 2, and so on. Within a rank, marches with fewer new walls come first.
    """
    ways: dict[Point, list[tuple[int, Space, Path]]] = {}
    for space in spaces:
        for corner in corners(space):
            if said.can_end_on(corner):
                few = islice(cheapest_paths(table, corner, said.points_towards(corner)), MOST_CANDIDATES + 1)
                ways.setdefault(corner, []).extend((walls, space, path) for walls, path in few)
    ranked = [
        (rank, *way)
        for found in ways.values()
        for rank, way in enumerate(sorted(found, key=lambda one: one[0]))
    ]
    ranked.sort(key=lambda one: one[:2])
    return [March(space, path) for _, _, space, path in ranked]


def cheapest_paths(table: Table, corner: Point, points: Path) -> Iterator[tuple[int, Path]]:
    """Yield the shortest paths to a corner through these points, those with the fewest new walls first.

    Ties are in reading order of the points. Paths that need more walls than are left (4.9) are excluded.
    """
    far, descents = table.board.distances_from(corner), table.board.descents(corner)
    here, free = table.alexander, march_rules.free_sides(table)
    wanted = {far[point]: point for point in points}
    passed = [far[point] for point in points]
    if any(one <= other for one, other in pairwise(passed)):
        return
    if wanted.get(far[here], here) != here or max(passed, default=0) > far[here]:
        return
    steps: dict[Point, list[tuple[Point, int]]] = {}  # with the price of each
    ahead = [here]
    while ahead:
        point = ahead.pop()
        if point not in steps and point != corner:
            going = [(step, bit) for step, bit in descents[point] if wanted.get(far[step], step) == step]
            steps[point] = [(step, 0 if bit & free else 1) for step, bit in going]
            ahead += [step for step, _ in going]
    left = {corner: 0}
    """For each point that is no dead end, the lowest number of new walls on the way to `corner`."""
    for point in sorted(steps, key=lambda one: far[one]):
        costs = [price + left[step] for step, price in steps[point] if step in left]
        if costs:
            left[point] = min(costs)
    if here not in left:
        return
    begun: list[tuple[int, Path, int]] = [(left[here], (here,), 0)]
    while begun and begun[0][0] <= table.walls_left:
        total, path, laid = heappop(begun)
        if path[-1] == corner:
            yield total, path
            continue
        for step, price in steps[path[-1]]:
            if step in left:
                heappush(begun, (laid + price + left[step], (*path, step), laid + price))


def cards_for_march(known: View, said: Order) -> list[Action]:
    """Return the choices of a card that allow the ordered march (4.1)."""
    table = known.table
    found: list[Action] = []
    for action in card_choices(known):
        if isinstance(action, Choose | Play):
            spaces = march_rules.targets(table, action.card, from_display=isinstance(action, Choose))
            if any(
                _leads_somewhere(table, space, said)
                for space in spaces
                if not said.places or space in said.places
            ):
                found.append(action)
    return found


def _leads_somewhere(table: Table, space: Space, said: Order) -> bool:
    ends = filter(said.can_end_on, corners(space))
    return any(next(cheapest_paths(table, corner, said.points_towards(corner)), None) for corner in ends)


def actions_with_symbol(known: View, card: Symbol) -> list[Action]:
    """Return the actions that an order of only a card can mean in the present phase."""
    table = known.table
    if table.phase is Phase.CARD:
        return [action for action in card_choices(known) if action.card is card]
    if table.phase is not Phase.ACTIONS:
        return []
    taken: list[Action] = [Take(card)] if card in table.display else []
    return [*taken, *(levy for levy in possible_levies(known) if levy == Levy(card))]


def possible_levies(known: View) -> list[Action]:
    return [Levy(card) for card in levy_cards(known.table, known.table.seat, known.hand)]


def possible_takeovers(known: View, guards: tuple[Space, ...]) -> Iterator[Action]:
    """Yield the takeovers with these guards, one for each choice of cards for the loser (5.10).

    Raises `Illegal` if the hand cannot pay.
    """
    table = known.table
    province = province_to_conquer(table, table.seat, guards)
    paid = removal_cost(table, province) + symbols_on(table, province.places)
    paid -= symbols_on(table, guards)
    check_payment(known.hand, paid, "5.9")
    choices = paid.handfuls(loser_share(table, paid))
    return (TakeOver(guards, given) for given in choices)


NO_CHOICES: ChoiceMeanings = {}
MAX_LINE_LENGTH = 400
"""Maximum length of a line in characters, not counting a path; no legal action comes close."""


def parse(
    line: str,
    board: Board,
    choices: ChoiceMeanings = NO_CHOICES,
    vocabulary: Vocabulary = CANONICAL_VOCABULARY,
) -> tuple[Order, ...]:
    """Parse the actions of a line, at least one; raises `Unreadable`.

    `choices` are the choices of the answered letter. The default `vocabulary` reads canonical lines only.
    """
    parsed = parse_line(OrderLine, line, board, choices, vocabulary)
    if parsed.refusal is not None:
        raise parsed.refusal
    return parsed.orders


Line = TypeVar("Line", bound=OrderLine)


def parse_line(
    kind: type[Line],
    line: str,
    board: Board,
    choices: ChoiceMeanings = NO_CHOICES,
    vocabulary: Vocabulary = CANONICAL_VOCABULARY,
) -> Line:
    """Parse a line to an object of type `kind`; an unreadable line is returned with its refusal."""
    names = names_of(board, vocabulary)
    try:
        if letter := find_letter_answer(line, choices, vocabulary):
            return kind(line, _parse_choice(choices[letter], board), answer=letter)
        return kind(line, _parse_words(line, board, names, choices, vocabulary))
    except Unreadable as refusal:
        return kind(line, refusal=refusal)


def _parse_words(
    line: str, board: Board, names: BoardNames, choices: ChoiceMeanings, vocabulary: Vocabulary
) -> tuple[Order, ...]:
    """Parse a line as orders one after the other, each beginning with its verb or card."""
    if len(line) > MAX_LINE_LENGTH and len(line) > MAX_LINE_LENGTH + sum(
        len(point) + 1 for point in names.points
    ):
        raise Unreadable("the line is too long for one action")
    found = tokenize(line, names, vocabulary)
    if found.is_number(0) or found.tokens[0] in vocabulary.numbered:
        return _parse_number(found, board, choices)
    said: list[Order] = []
    at = 0
    while at < len(found.tokens):
        span = Segment(found, at)
        said += ArgumentReader(span, choices).read()
        at = span.following
    if "!" in found.tail and said[-1].verb == Verb.END:  # "Stop!" and "Klaar!" are exclamations
        raise stray_sign_behind(found.words[-1])
    return tuple(said)


def parse_lines(
    lines: Iterable[str], board: Board, vocabulary: Vocabulary = CANONICAL_VOCABULARY
) -> tuple[OrderLine, ...]:
    """Parse lines of a text for which no letter has offered choices."""
    return tuple(parse_line(OrderLine, line, board, NO_CHOICES, vocabulary) for line in lines)


def spell_out(said: Order, board: Board) -> str:
    """Format an order in full words; an order that is only an abbreviated card stays as it is."""
    cards = [str(symbol)[: -1 if said.short else None] for symbol in said.symbols]
    if said.verb == Verb.TAKEOVER and cards:
        cards = ["give", "+".join(cards)]
    places = "+".join(board.names[place] for place in said.places)
    path = "-".join(map(str, said.points)) if said.corner is None else f"{said.corner}"
    if said.passed:
        path = f"via {'-'.join(map(str, said.passed))}{' to ' if path else ''}{path}"
    if said.origin is not None:
        path = f"from {said.origin} {path}"
    return " ".join(filter(None, (said.verb, places, path.strip(), *cards)))


# --- letters and numbers --------------------------------------------------------------------------------


def _parse_choice(words: str, board: Board) -> tuple[Order, ...]:
    return tuple(said for order in words.split(";") for said in parse(order, board))


def _parse_number(line: TokenizedLine, board: Board, choices: ChoiceMeanings) -> tuple[Order, ...]:
    """Parse a line that is only a number, perhaps after a word such as "nr" or "corner".

    The number means a choice of the answered letter if the choices are numbered, otherwise a corner of the
    chosen card's targets.
    """
    *before, last = line.tokens
    known = line.vocabulary
    if line.is_number(0) and before and line.tokens[1] in known.verbs:
        raise list_numbering(line.words[1])
    if not any(map(line.is_number, range(len(line.tokens)))):
        raise unknown_action(line.words[0], line.text, known)
    marked = len(before) == 1 and before[0] in known.numbered and not line.gaps[1].strip(" .")
    negated = bool(before) and before[0] in known.dotted and line.gaps[1][0] != "."
    if not line.is_number(-1) or (before and not marked) or negated:
        raise number_among_words(next(word for at, word in enumerate(line.tokens) if line.is_number(at)))
    words = choices.get(last.lstrip("#"))
    if words is None:
        if before and known.points.isdisjoint(before):
            raise Unreadable("“%(word)s” stands for nothing here: say it in words", word=shorten(last))
        return (Order(Verb.MARCH, corner=read_corner_number(last)),)
    point = board.point_names.get(words)
    if point is not None:
        return (Order(Verb.MARCH, points=(point,)),)
    if not known.points.isdisjoint(before):
        raise Unreadable("“%(word)s” stands for no corner here: say it in words", word=shorten(last))
    return _parse_choice(words, board)
