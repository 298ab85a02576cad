"""Where one action of a line begins and ends, and which it is.

A whole word always wins over abbreviations, and an abbreviation is read where all it can stand for means the
same.
"""

from __future__ import annotations

from collections.abc import Mapping

from engine.actions import Unreadable
from engine.cards import Symbol
from engine.lattice import Space
from engine.notation.canonical_text import Verb
from engine.notation.lexer import BoardNames, TokenizedLine, patterns_of
from engine.notation.orders import Order
from engine.notation.usage import USAGES

FIRST_VERBS = frozenset((Verb.CHOOSE, Verb.PLAY, Verb.MARCH, Verb.STAY, Verb.TAKE))
"""The actions with which a turn can begin."""


class Segment:
    """The words of one action, from that with which it begins to that of the next."""

    def __init__(self, line: TokenizedLine, names: BoardNames, start: int) -> None:
        self.line, self.names, self.start = line, names, start
        self.terms = line.vocabulary
        self.word = line.tokens[start]
        self.card: Order | None = None
        """A symbol that stands where a verb does: alone, or before the march with it."""
        self.second = self._find_second() if self.word in self.terms.pair_starts else 0
        """Where the second word of a pair stands, such as the "back" of "take Troy back"; 0: nowhere."""
        pair = self.word, line.tokens[self.second]
        self.verb = self.terms.pairs[pair] if self.second else self._find_verb()
        self.shape = USAGES[self.verb]
        self.end = self._find_end()
        self.following = self._find_following()
        """Where the next action begins."""

    def _find_second(self) -> int:
        """Where the second word of a pair stands, with no sign or "and" before it."""
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
            raise self.line.unknown_action(start)
        elif symbols or Verb.END in verbs.values():  # two letters alone are a cry, and no end is taken back
            whole = (*verbs, *symbols)
            raise Unreadable(
                "“%(word)s” is too short: write the whole word", whole, word=self.line.words[start]
            )
        return Verb.MARCH if self.card is not None else next(iter(verbs.values()))

    def _find_end(self) -> int:
        at = max(self.start, self.second) + 1
        while at < len(self.line.tokens) and not self._ends_before(at):
            at += 1
        return at

    def _ends_before(self, at: int) -> bool:
        """Whether another action begins with a word, or has to begin after it."""
        word = self.line.tokens[at]
        if self.can_name_place(word):
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
        """Where the next action begins; what parts it from this one is taken off."""
        tokens, following = self.line.tokens, self.end
        while following < len(tokens) and tokens[following] in patterns_of(self.terms).parting:
            following += 1
        joined = following > self.end
        while tokens[self.end - 1] in self.terms.joining and not self.can_name_place(tokens[self.end - 1]):
            self.end, joined = self.end - 1, True
        if joined and following == len(tokens):
            raise Unreadable("say what comes after “%(word)s”", word=self.line.words[-1])
        return following

    def judge_signs(self) -> None:
        """Whether the signs up to the next action may stand there; raises `Unreadable`."""
        for at in range(self.start + 1, min(self.following + 1, len(self.line.tokens))):
            self._judge_sign(at)

    def _judge_sign(self, at: int) -> None:
        """Whether the signs before a word may stand there: between names, in a path, or before an action."""
        sign = self.line.gaps[at].strip()
        path = self.is_point(at - 1) and self.is_point(at) and sign in ("-", "\u2013", ">", "\u2192", "->")
        numbered = self.line.tokens[at - 1] in self.terms.numbered and sign == "."
        between = "," if at < self.end else "."
        if not (path or numbered or {*"".join(sign.split())} <= {",", "+", "&", between}):
            raise Unreadable("“%(word)s” is no word of an action", word=sign)

    # --- what its words can be --------------------------------------------------------------------------

    def can_name_place(self, word: str) -> bool:
        """Whether a word is a place that the action can name."""
        return self.shape.places[1] > 0 and word in self.names.places

    def is_point(self, at: int) -> bool:
        """Whether a word is a point or a number."""
        return self.line.tokens[at] in self.names.points or self.line.is_number(at)

    def expansions_of(self, word: str, *, gift: bool) -> dict[str, Symbol | Space | None]:
        """What a word can abbreviate where a name can stand, each with its meaning; None: not a name."""
        found: dict[str, Symbol | Space | None] = {}
        if self.shape.symbols[1] and word in self.terms.symbol_beginnings:
            found |= self.terms.symbol_beginnings[word]
            nouns = self.terms.cards | self.terms.taxes if self.verb == Verb.LEVY else self.terms.cards
            found |= dict.fromkeys(noun for noun in nouns if noun.startswith(word))
        if self.shape.places[1] and not gift:
            found |= self.names.begun.get(word, {})
        return found

    def ambiguous_word(self, meanings: Mapping[str, object], at: int) -> Unreadable:
        """The refusal of an abbreviation, with one word for each meaning, in the language of the line."""
        language = self.line.language
        own = [whole for whole in meanings if self.terms.language_of.get(whole) is language]
        chosen: dict[object, str] = {}
        for whole in (*own, *meanings):
            meaning = meanings[whole]
            chosen.setdefault(meaning, self.names.called[meaning] if isinstance(meaning, Space) else whole)
        guesses = (*chosen.values(),)[:6]
        return Unreadable("“%(word)s” can mean several things", guesses, word=self.line.words[at])
