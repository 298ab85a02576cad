"""Mentions: the possible meanings of words in a position, and the clauses that the words form."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum, StrEnum, auto
from functools import cache, cached_property, lru_cache
from itertools import takewhile

from emails.languages.lexicon import shared_words, words_of
from emails.languages.supported_languages import ENGLISH
from emails.names import fold_accents
from emails.replies.remarks import APOSTROPHES, is_known_word
from engine.board import Board, Point, Space
from engine.cards import Symbol
from engine.position import View


class MeaningKind(StrEnum):
    VERB = "verb"
    PARTICLE = "particle"
    CARD = "card"
    PLACE = "place"
    POINT = "point"
    CORNER = "corner"
    NUMBER = "number"
    ORDINAL = "ordinal"
    LETTER = "letter"
    PLAYER = "player"
    NOUN = "noun"
    SIGN = "sign"
    FILLER = "filler"
    BESIDE = "beside"
    """A word beside the letter of a choice: "a would be good"."""


MentionedThing = Symbol | Space | Point | int | str
Meaning = tuple[MeaningKind, MentionedThing]
NOTHING: frozenset[Meaning] = frozenset()


# --- words of a language --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class PhraseBook:
    phrases: Mapping[str, frozenset[Meaning]]
    places: Mapping[str, str]
    endings: frozenset[str]
    longest: int
    long_words: Mapping[str, frozenset[Meaning]]
    """Words of orders that are read even if one letter is wrong."""

    def inflect(self, word: str) -> frozenset[Meaning]:
        """Return the meanings of an unlisted form of a verb, such as "settling"."""
        stems = [word.removesuffix(ending) for ending in self.endings if word.endswith(ending)]
        stems += [f"{stem}e" for stem in stems] + [stem[:-1] for stem in stems if stem[-2:-1] == stem[-1:]]
        return NOTHING.union(*map(self._verbs, stems))

    def _verbs(self, word: str) -> frozenset[Meaning]:
        known = self.phrases.get(word, NOTHING) if len(word) >= SHORTEST_STEM else NOTHING
        past = (MeaningKind.SIGN, "past") in known
        return frozenset(one for one in known if one[0] is MeaningKind.VERB and not past)


@cache
def load_lexicon(languages: tuple[str, ...]) -> PhraseBook:
    found: dict[str, set[Meaning]] = {}
    places: dict[str, str] = {}
    endings: set[str] = set()
    for language in dict.fromkeys((*languages, ENGLISH)):
        words = words_of(language).clerk
        for section, kind in SECTIONS.items():
            for thing, named in getattr(words, section).items():
                own = MeaningKind.BESIDE if thing in BESIDE_LETTERS else kind
                for phrase in named:
                    found.setdefault(phrase, set()).add((own, thing))
        places |= words_of(language).vocabulary.places
        endings.update(words.endings)
    phrases = {phrase: frozenset(meanings) for phrase, meanings in found.items()}
    long_words = {
        word: meanings
        for word, meanings in phrases.items()
        if len(word) >= SHORTEST_MENDED and " " not in word and any(kind in MENDED for kind, _ in meanings)
    }
    longest = max(len(phrase.split()) for phrase in phrases)
    return PhraseBook(phrases, places, frozenset(endings), longest, long_words)


SHORTEST_STEM, SHORTEST_MENDED = 3, 6
MENDED = frozenset({MeaningKind.VERB, MeaningKind.CARD})
BESIDE_LETTERS = ("after_letter", "before_letter")
SECTIONS = {
    "verbs": MeaningKind.VERB,
    "particles": MeaningKind.PARTICLE,
    "cards": MeaningKind.CARD,
    "nouns": MeaningKind.NOUN,
    "signs": MeaningKind.SIGN,
    "numbers": MeaningKind.NUMBER,
    "ordinals": MeaningKind.ORDINAL,
    "filler": MeaningKind.FILLER,
}


@lru_cache(maxsize=16)
def _fold_places(board: Board, lexicon: PhraseBook) -> Mapping[str, Space]:
    found = {fold_accents(name): space for name, space in board.places.items()}
    for own, name in lexicon.places.items():
        if name in board.places:
            found.setdefault(fold_accents(own), board.places[name])
    return found


# --- mentions -------------------------------------------------------------------------------------------

MOST_WORDS = 240
LONGEST_WORD = 24
TOKEN = re.compile(
    r"[a-z]{1,2}\d{1,2}(?!\w)|\d+\s?x\b|x\s?\d\b|\d+(?:st|nd|rd|th|e)?\b"
    r"|[^\W\d_]+(?:['-][^\W\d_]+)*|\.{2,}|[.,;:!?()/&+>\n\u2192\u2013\u2014\u2026-]|[^\w\s]",
    re.IGNORECASE,
)
LIST_MARK = re.compile(r"^\s*(?:[-*\u2022\u00b7>]+|\(?\d{1,2}[.):]|\d{1,2}\)|step \d:?)\s+", re.MULTILINE)
INITIALS = re.compile(r"\b(?:[A-Za-z]\.){2,}")
ENDS = frozenset(".!?;\n\u2026")
BREAKS = frozenset(",:()/&+>-\u2192\u2013\u2014")


@dataclass(frozen=True, slots=True)
class Mention:
    text: str
    meanings: frozenset[Meaning] = NOTHING
    sign: str = ""
    kinds: frozenset[MeaningKind] = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "kinds", frozenset([kind for kind, _ in self.meanings]))

    def has(self, kind: MeaningKind, value: MentionedThing | None = None) -> bool:
        """True if a meaning of this kind, with this value if given, is possible."""
        return kind in self.kinds if value is None else (kind, value) in self.meanings

    def values(self, kind: MeaningKind) -> list[MentionedThing]:
        return [value for one, value in self.meanings if one is kind]

    def without(self, *kinds: MeaningKind) -> Mention:
        return replace(self, meanings=frozenset(one for one in self.meanings if one[0] not in kinds))

    @property
    def is_word(self) -> bool:
        return any(map(str.isalnum, self.text))

    @property
    def is_unknown(self) -> bool:
        return not self.meanings and any(map(str.isalpha, self.text))


NO_MENTION = Mention("", sign=".")
STRONG = frozenset({MeaningKind.VERB, MeaningKind.CARD, MeaningKind.PLACE, MeaningKind.POINT})
NAMES = STRONG - {MeaningKind.VERB} | {MeaningKind.LETTER, MeaningKind.NUMBER, MeaningKind.CORNER}


def is_strong(mention: Mention) -> bool:
    return not mention.kinds.isdisjoint(STRONG) and MeaningKind.FILLER not in mention.kinds


def is_name(mention: Mention) -> bool:
    return not mention.kinds.isdisjoint(NAMES) and MeaningKind.FILLER not in mention.kinds


def list_values(mentions: Iterable[Mention], kind: MeaningKind) -> frozenset[MentionedThing]:
    return frozenset(value for one in mentions for value in one.values(kind))


class MentionReader:
    def __init__(self, view: View, lexicon: PhraseBook, choices: Mapping[str, str]) -> None:
        self.view, self.lexicon, self.choices = view, lexicon, choices
        self.board = view.table.board
        self.places = _fold_places(self.board, lexicon)

    @cached_property
    def points(self) -> dict[str, Point]:
        return {name.casefold(): point for name, point in self.board.point_names.items()}

    @cached_property
    def players(self) -> dict[str, int]:
        return {
            word: seat
            for seat, name in enumerate(self.view.table.names)
            for word in re.findall(r"[^\W\d_]+", name.casefold())
            if len(word) > 1
        }

    def read(self, text: str) -> list[Mention]:
        text = unicodedata.normalize("NFKC", text)  # words from a page, unlike those of mails, come as typed
        text = INITIALS.sub(lambda found: found[0].replace(".", ""), LIST_MARK.sub("\n", text))
        written = [word for word in TOKEN.findall(text.translate(APOSTROPHES)) if len(word) <= LONGEST_WORD]
        written = written[:MOST_WORDS]
        words = [word.casefold() for word in written]
        found: list[Mention] = []
        at = 0
        while at < len(words):
            many, meanings = self._match(words, at)
            sign = ""
            if not meanings and not any(map(str.isalnum, words[at])):
                sign = words[at] if words[at] in ENDS | BREAKS else "\u2026" if ".." in words[at] else ""
            found.append(Mention(" ".join(written[at : at + many]), meanings, sign))
            at += many
        around = [NO_MENTION, *found, NO_MENTION, NO_MENTION]
        return [self._resolve(*around[at : at + 4]) for at in range(len(found))]

    def _match(self, words: Sequence[str], at: int) -> tuple[int, frozenset[Meaning]]:
        """Return the number of words of the longest phrase at an index, and its meanings."""
        word = words[at]
        for many in range(min(self.lexicon.longest, len(words) - at), 0, -1):
            meanings = self.lexicon.phrases.get(" ".join(words[at : at + many]))
            if meanings is None:
                continue
            named = frozenset(self._name(word)) if many == 1 else NOTHING
            if any(kind is MeaningKind.PLAYER for kind, _ in named):
                meanings = frozenset(one for one in meanings if one[0] is not MeaningKind.FILLER)
            return many, meanings | named
        signs = shared_words().signs
        if word in signs.cards:
            return 1, frozenset({(MeaningKind.CARD, signs.cards[word])})
        if word in signs.any_card:
            return 1, frozenset({(MeaningKind.VERB, "draw"), (MeaningKind.NOUN, "card")})
        bare = fold_accents(word).removesuffix("'s")
        known = frozenset(self._name(word)) or self.lexicon.inflect(word)
        return 1, known or self.lexicon.phrases.get(bare) or self._mend(bare)

    def _name(self, word: str) -> Iterator[Meaning]:
        bare = fold_accents(word).removesuffix("'s").removesuffix("'")
        if bare in self.places:
            yield MeaningKind.PLACE, self.places[bare]
        if word in self.points:
            yield MeaningKind.POINT, self.points[word]
        if bare in self.players:
            yield MeaningKind.PLAYER, self.players[bare]
        if word in self.choices and word.isalpha():
            yield MeaningKind.LETTER, word
        digits = re.sub(r"\D", "", word)
        if digits and len(digits) <= 2 and word not in self.points:
            ordinal = word[-1].isalpha() and "x" not in word
            yield (MeaningKind.ORDINAL if ordinal else MeaningKind.NUMBER), int(digits)

    def _mend(self, word: str) -> frozenset[Meaning]:
        """Return the meanings of the long word of an order that is one slip away, if there is only one."""
        if len(word) < SHORTEST_MENDED or is_known_word(word):
            return NOTHING
        near = [space for name, space in self.places.items() if is_slip(word, name)]
        found = {frozenset[Meaning]({(MeaningKind.PLACE, space)}) for space in near}
        found |= {meanings for known, meanings in self.lexicon.long_words.items() if is_slip(word, known)}
        return found.pop() if len(found) == 1 else NOTHING

    def _resolve(self, before: Mention, mention: Mention, after: Mention, beyond: Mention) -> Mention:
        """Decide between the meanings of a word by the words around it."""
        if mention.has(MeaningKind.SIGN, "dictated"):
            counted = any(one.kinds & COUNTED for one in (before, after))
            return mention if mention.has(MeaningKind.NOUN) and counted else Mention(mention.text, sign=",")
        if mention.has(MeaningKind.LETTER) and mention.has(MeaningKind.FILLER):
            alone = bool(after.sign) or after.has(MeaningKind.SIGN, "requests")
            alone = alone or self._is_beside(after, "after_letter")
            alone = alone or (after.has(MeaningKind.LETTER) and not after.has(MeaningKind.FILLER))  # "a b"
            if alone or before.has(MeaningKind.NOUN, "option") or self._is_beside(before, "before_letter"):
                return Mention(mention.text, frozenset({(MeaningKind.LETTER, mention.text.casefold())}))
            return mention.without(MeaningKind.LETTER)
        mention = mention.without(MeaningKind.BESIDE)
        if mention.kinds.isdisjoint({MeaningKind.NUMBER, MeaningKind.ORDINAL}):
            return mention
        if mention.has(MeaningKind.ORDINAL) and after.has(MeaningKind.CARD):  # "the second amphora"
            return Mention(mention.text, frozenset({(MeaningKind.FILLER, "words")}))
        of_corner = any(one.has(MeaningKind.NOUN, "corner") for one in (before, after))
        of_cards = before.has(MeaningKind.VERB, "draw") or any(
            one.has(MeaningKind.CARD) or one.has(MeaningKind.NOUN, "card") for one in (after, beyond)
        )
        if not of_corner and (of_cards or mention.has(MeaningKind.ORDINAL)):
            return mention
        numbers = (*mention.values(MeaningKind.NUMBER), *mention.values(MeaningKind.ORDINAL))
        meanings = mention.meanings.union((MeaningKind.CORNER, number) for number in numbers)
        mention = replace(mention, meanings=meanings)
        return mention.without(MeaningKind.NUMBER, MeaningKind.FILLER) if of_corner else mention

    def _is_beside(self, mention: Mention, place: str) -> bool:
        word = mention.text.casefold().split(" ")[0]
        return (MeaningKind.BESIDE, place) in self.lexicon.phrases.get(word, NOTHING)


COUNTED = frozenset({MeaningKind.NUMBER, MeaningKind.POINT, MeaningKind.PLACE})


def is_slip(word: str, known: str) -> bool:
    """True if a word differs from a long one by a letter more, less or other, or by two swapped letters."""
    if abs(len(word) - len(known)) > 1 or word[0] != known[0] or len(known) < SHORTEST_MENDED:
        return False
    alike = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(word, known, strict=False)))
    one, other = word[alike:], known[alike:]
    swapped = one[:2] == other[1::-1] and one[2:] == other[2:]
    return swapped or one[1:] == other or one == other[1:] or one[1:] == other[1:]


# --- clauses --------------------------------------------------------------------------------------------

MOST_VARIANTS = 4
MOST_CLAUSES = 14


class ClauseLink(Enum):
    """The relation of a clause to the previous one, other than plain succession."""

    ALTERNATIVE = auto()
    """Either this clause or the previous one is meant."""
    CORRECTION = auto()
    CHANGE = auto()
    """The clause stands after a word such as "but"."""


@dataclass(frozen=True, slots=True)
class Clause:
    mentions: tuple[Mention, ...]
    link: ClauseLink | None = None

    @property
    def strong(self) -> tuple[Mention, ...]:
        return tuple(one for one in self.mentions if is_strong(one))

    @property
    def verbs(self) -> frozenset[MentionedThing]:
        return list_values(
            (one for one in self.mentions if not one.has(MeaningKind.FILLER)), MeaningKind.VERB
        )


def _replace(before: Sequence[Clause], clause: Clause) -> list[Clause]:
    """Put a clause in the place of the one that it corrects: of a like verb or else of like names."""
    rest = list(before)
    if verbs := clause.verbs:
        at = next((n for n in range(len(rest) - 1, -1, -1) if verbs & rest[n].verbs), len(rest) - 1)
        rest[max(at, 0) : max(at, 0) + 1] = [clause]
        return rest
    kinds = {kind for one in clause.mentions if is_name(one) for kind in one.kinds} & NAMES
    for at in range(len(rest) - 1, -1, -1):
        kept = tuple(one for one in rest[at].mentions if not one.kinds & kinds)
        if len(kept) < len(rest[at].mentions):
            rest[at] = replace(rest[at], mentions=(*kept, *clause.mentions))
            return rest
    return [*rest, clause]


class Aside(Enum):
    QUESTION = auto()
    CONDITION = auto()
    PLAN = auto()


ASIDES = {"only_if": Aside.CONDITION, "conditions": Aside.CONDITION, "plans": Aside.PLAN}
LINKS = {
    "corrections": ClauseLink.CORRECTION,
    "either": ClauseLink.ALTERNATIVE,
    "contrasts": ClauseLink.CHANGE,
}
UNSETTLED: frozenset[MentionedThing] = frozenset({"past", "loose", "mild", "others", "hedges"})
"""Signs of words that may make an order a wish, a remark or that of another player."""
NO_PART: frozenset[MentionedThing] = frozenset({"hedges", "corrections", "either"})
"""Signs of words that are no part of a clause."""
KEPT: frozenset[MentionedThing] = frozenset({"giving", "passing", "leaving"})
"""Signs of words that tell how the names of a clause belong together."""


@dataclass(slots=True)
class MentionClauses:
    """The clauses of a text, and what it says beside them; `parse` finds both."""

    variants: list[list[Clause]] = field(default_factory=lambda: [[]])
    """The ways to read the text, several if it joins alternatives; none if it takes everything back."""
    denied: list[tuple[Mention, ...]] = field(default_factory=list)
    unknown: list[str] = field(default_factory=list)
    asides: dict[Aside, str] = field(default_factory=dict)
    """Kinds of sentences that order nothing for now, with the word that tells."""
    retracted: str = ""
    doubted: bool = False
    """True if the text has a negation, a hedge such as "maybe", or words about another player's move."""
    now: list[Mention] = field(default_factory=list)
    link: ClauseLink | None = None
    negated: bool = False
    aside: Aside | None = None
    beside: bool = False
    """True if the next name tells only where another thing lies."""
    _last_correction: str = ""

    def parse(self, mentions: Sequence[Mention]) -> MentionClauses:
        sentence: list[Mention] = []
        for at, mention in enumerate(mentions, 1):
            sentence.append(mention)
            if mention.sign in ENDS or at == len(mentions):
                self._parse_sentence(sentence)
                sentence = []
        if self.link is ClauseLink.CORRECTION:
            self.retracted = self.retracted or self._last_correction
        self.doubted |= self.link is ClauseLink.ALTERNATIVE  # "b or so"
        self.variants = [] if self.retracted else [one[:MOST_CLAUSES] for one in self.variants]
        return self

    def _parse_sentence(self, sentence: Sequence[Mention]) -> None:
        self.aside, self.negated = Aside.QUESTION if _is_question(sentence) else None, False
        begun, unknown = len(self.variants[0]), len(self.unknown)
        for at, mention in enumerate(sentence, 1):
            self._take_mention(mention, sentence[at] if at < len(sentence) else NO_MENTION)
        self._close()
        self.doubted |= self.link is ClauseLink.CORRECTION  # it may correct nothing
        if len(self.variants[0]) == begun and len(self.unknown) > unknown:  # it is not about the game
            del self.unknown[unknown:]
            self.doubted = True

    def _take_mention(self, mention: Mention, following: Mention) -> None:
        if mention.sign:
            on_path = following.has(MeaningKind.POINT) or following.has(MeaningKind.SIGN, "passing")
            if on_path and mention.sign in BREAKS and self.now and self.now[-1].has(MeaningKind.POINT):
                self.doubted |= mention.sign == "/"
                return
            self._close()
            self.negated = False
        elif not mention.meanings:
            self.unknown += [mention.text] * mention.is_unknown
        elif not self._take_signs(mention, following) or mention.kinds == {MeaningKind.FILLER}:
            return
        elif self.beside and is_name(mention):
            self.beside = False
            self.unknown.append(mention.text)
        else:
            if self._begins_clause(mention, following):
                self._close()
            self.now.append(mention)

    def _take_signs(self, mention: Mention, following: Mention) -> bool:
        """Note what the signs of a word change; return whether the word is also part of a clause."""
        signs = set(mention.values(MeaningKind.SIGN))
        if "negations" in signs and not ("corrections" in signs and following.sign):
            self.doubted |= "instead" not in signs and bool(self.now)
            self._close()
            self.negated = True
            return False
        self.doubted |= not signs.isdisjoint(UNSETTLED)
        self.doubted |= "they" in signs and not self.now  # "ze neemt Troje", unlike "haal ze terug"
        self.beside |= "besides" in signs
        if "retractions" in signs:
            self.now.clear()
            self.variants = [[]]
            self.retracted = mention.text
            return False
        if asides := [aside for sign, aside in ASIDES.items() if sign in signs]:
            self.now.clear()
            self.aside = asides[0]
            self.asides.setdefault(self.aside, mention.text)
            return False
        for sign, link in LINKS.items():
            if sign in signs:
                self._close()
                self.link = self.link or link if link is ClauseLink.CHANGE else link
        if "corrections" in signs:
            self._last_correction = mention.text
            self.link = ClauseLink.CORRECTION if self.variants[0] else None
        if "joining" in signs and not (mention.has(MeaningKind.ORDINAL) and not self.now):
            self._close()
            return mention.has(MeaningKind.NOUN) or mention.has(MeaningKind.VERB)
        return not signs & NO_PART and bool(signs & KEPT or mention.kinds != {MeaningKind.SIGN})

    def _begins_clause(self, mention: Mention, following: Mention) -> bool:
        repeatable = mention.kinds & {MeaningKind.VERB, MeaningKind.CARD}
        if mention in self.now and (repeatable or mention.has(MeaningKind.NOUN, "supply")):
            return True
        if not self.now or not mention.has(MeaningKind.VERB):
            return False
        if mention.kinds & {MeaningKind.FILLER, MeaningKind.NOUN}:
            return False
        verbs = Clause(tuple(self.now)).verbs
        if any(map(is_name, self.now)):  # unlike "the soldier take"
            return bool(verbs) or not (following.sign or following.has(MeaningKind.SIGN, "joining"))
        return bool(verbs) and verbs.isdisjoint(mention.values(MeaningKind.VERB))

    def _close(self) -> None:
        found, link = tuple(self.now), self.link
        self.now.clear()
        denies = any(map(is_name, found)) and not any(one.has(MeaningKind.VERB) for one in found)
        self.doubted |= self.negated and not denies
        if all(one.kinds <= {MeaningKind.FILLER, MeaningKind.SIGN} for one in found):
            return
        if self.aside is not None:
            if self.aside is Aside.QUESTION and any(map(is_strong, found)):
                self.asides.setdefault(Aside.QUESTION, "?")
            self.doubted = True
            return
        if self.negated:
            if strong := tuple(one for one in found if is_strong(one) or is_name(one)):
                self.denied.append(strong)
            return
        self.link, self.retracted = None, ""
        clause, first = Clause(found, link), self.variants[0]
        if link is ClauseLink.CORRECTION:
            self.variants = [_replace(one, clause) for one in self.variants]
        elif link is ClauseLink.ALTERNATIVE and first:
            self.variants = [*self.variants, _replace(first, clause)][:MOST_VARIANTS]
        else:
            for one in self.variants:
                one.append(clause)


def _is_question(sentence: Sequence[Mention]) -> bool:
    if any(one.has(MeaningKind.SIGN, "requests") for one in sentence):
        return False
    if any(one.text == "?" for one in sentence):
        return True
    first = next((one for one in sentence if one.meanings and one.kinds != {MeaningKind.FILLER}), NO_MENTION)
    return first.has(MeaningKind.SIGN, "questions") and not first.has(MeaningKind.FILLER)
