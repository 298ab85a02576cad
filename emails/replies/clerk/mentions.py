"""Mentions: the possible meanings of words in a position, and the clauses that the words form."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum, StrEnum, auto
from functools import cache, cached_property, lru_cache
from itertools import product, takewhile

from emails.languages.lexicon import FreeWords, lexicon_of, read_order_words, read_signs
from emails.languages.supported_languages import ENGLISH, FOLDERS, read_file
from emails.names import fold_accents
from emails.replies.remarks import APOSTROPHES, is_known_word
from engine.board import Board, Point, Space
from engine.cards import Symbol
from engine.notation.orders import Verb
from engine.notation.vocabulary import abbreviations_of
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
_Phrase = tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class PhraseBook:
    phrases: Mapping[_Phrase, frozenset[Meaning]]
    places: Mapping[str, str]
    longest: int
    guessed: Mapping[str, frozenset[Meaning]]
    begun: Mapping[str, Verb | Symbol]  # by abbreviation
    endings: frozenset[str]

    def inflect(self, word: str) -> frozenset[Meaning]:
        """Return the meanings of an unlisted form of a verb, such as "settling" or "terugpakken"."""
        stems = [word.removesuffix(ending) for ending in self.endings if word.endswith(ending)]
        stems += [f"{stem}e" for stem in stems] + [stem[:-1] for stem in stems if stem[-2:-1] == stem[-1:]]
        found = frozenset[Meaning]().union(*map(self._verbs, stems))
        for particle, beside in _list_particles(self).items():
            if verbs := self._verbs(word.removeprefix(particle)) if word.startswith(particle) else None:
                found |= verbs | beside
        return found

    def _verbs(self, word: str) -> frozenset[Meaning]:
        known = self.phrases.get((word,), frozenset()) if len(word) >= SHORTEST_STEM else frozenset[Meaning]()
        if (MeaningKind.SIGN, "past") in known:
            return frozenset()
        return frozenset(one for one in known if one[0] is MeaningKind.VERB)


@cache
def _list_particles(lexicon: PhraseBook) -> Mapping[str, frozenset[Meaning]]:
    found = {
        phrase[0]: frozenset(one for one in meanings if one[0] is MeaningKind.PARTICLE)
        for phrase, meanings in lexicon.phrases.items()
        if len(phrase) == 1
    }
    return {word: beside for word, beside in found.items() if beside}


@cache
def load_lexicon(languages: tuple[str, ...]) -> PhraseBook:
    found: dict[_Phrase, set[Meaning]] = {}
    places: dict[str, str] = {}
    endings: set[str] = set()
    for language in dict.fromkeys((*languages, ENGLISH)):
        words = read_file(FreeWords, FOLDERS[language] / "clerk.toml")
        for section, kind in SECTIONS.items():
            for thing, named in getattr(words, section).items():
                for phrase in named:
                    own = MeaningKind.BESIDE if thing in BESIDE_LETTERS else kind
                    found.setdefault(tuple(phrase.split()), set()).add((own, thing))
        places |= read_order_words(FOLDERS[language]).places
        endings.update(words.endings)
    phrases = {phrase: frozenset(meanings) for phrase, meanings in found.items()}
    guessed = {}
    for phrase, meanings in phrases.items():
        kinds = {kind for kind, _ in meanings}
        orders = kinds & {MeaningKind.VERB, MeaningKind.CARD} or (MeaningKind.NOUN, "card") in meanings
        long = len(phrase) == 1 and len(phrase[0]) >= SHORTEST_GUESSED
        if long and orders and MeaningKind.FILLER not in kinds:
            guessed[phrase[0]] = meanings
    begun = abbreviations_of(lexicon_of((*languages, ENGLISH)[0]).orders)
    longest = max(map(len, phrases), default=1)
    return PhraseBook(phrases, places, longest, guessed, begun, frozenset(endings))


SHORTEST_STEM = 3
BESIDE_LETTERS = ("after_letter", "before_letter")
SHORTEST_GUESSED = 4
SHORTEST_MENDED = 6
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


MOST_WORDS = 120
LONGEST_WORD = 24
TOKEN = re.compile(
    r"[a-z]{1,2}\d{1,2}(?!\w)|\d+\s?x\b|x\s?\d\b|\d+(?:st|nd|rd|th|e)?\b"
    r"|[^\W\d_]+(?:['-][^\W\d_]+)*|\.{2,}|[.,;:!?()/&+>\n\u2192\u2013\u2014\u2026-]|[^\w\s]"
)
LIST_MARK = re.compile(r"^\s*(?:[-*\u2022\u00b7>]+|\(?\d{1,2}[.):]|\d{1,2}\)|step \d:?)\s+", re.MULTILINE)
INITIALS = re.compile(r"\b(?:[A-Za-z]\.){2,}")
ENDS = frozenset(".!?;\n\u2026")
BREAKS = frozenset(",:()/&+>-\u2192\u2013\u2014")


@dataclass(frozen=True, slots=True)
class Mention:
    text: str
    meanings: frozenset[Meaning]
    sign: str = ""
    guessed: bool = False
    kinds: frozenset[MeaningKind] = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "kinds", frozenset([kind for kind, _ in self.meanings]))

    def has(self, kind: MeaningKind, value: MentionedThing | None = None) -> bool:
        """True if a meaning of this kind, with this value if given, is possible."""
        return kind in self.kinds if value is None else (kind, value) in self.meanings

    def values(self, kind: MeaningKind) -> list[MentionedThing]:
        return [value for one, value in self.meanings if one is kind]


class MentionReader:
    def __init__(
        self,
        view: View,
        lexicon: PhraseBook,
        choices: Mapping[str, str],
        near: Collection[Space],
        *,
        guesses: bool = True,
    ) -> None:
        """`guesses`: misspelt words get the meanings of similar words."""
        self.view, self.lexicon, self.choices, self.guesses = view, lexicon, choices, guesses
        self.board: Board = view.table.board
        self.near = near

    @property
    def places(self) -> Mapping[str, Space]:
        return _fold_places(self.board, self.lexicon)

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
        plain = text.translate(APOSTROPHES).casefold()
        words = [word for word in TOKEN.findall(plain) if len(word) <= LONGEST_WORD][: 2 * MOST_WORDS]
        original = {word.casefold(): word for word in TOKEN_AS_WRITTEN.findall(text)}
        found: list[Mention] = []
        at = 0
        while at < len(words):
            many, mention = self._read_at(words, at, original)
            found.append(mention)
            at += many
        read = _resolve_ends(_read_dictated(self._resolve_letters(found, original)))
        return [*_resolve_numbers(read)]

    def _read_at(self, words: Sequence[str], at: int, written: Mapping[str, str]) -> tuple[int, Mention]:
        word = words[at]
        if symbol := self._place_by_symbol(words, at):
            return symbol
        for many in range(min(self.lexicon.longest, len(words) - at), 0, -1):
            meanings = self.lexicon.phrases.get(tuple(words[at : at + many]))
            if meanings is not None:
                if many == 1:
                    named = frozenset(self._name_meanings(word))
                    if any(kind is MeaningKind.PLAYER for kind, _ in named):
                        meanings = frozenset(one for one in meanings if one[0] is not MeaningKind.FILLER)
                    meanings |= named
                return many, Mention(" ".join(words[at : at + many]), meanings)
        signs = read_signs()
        if word in signs.cards:
            return 1, Mention(word, frozenset({(MeaningKind.CARD, signs.cards[word])}))
        if word in signs.any_card:
            return 1, Mention(word, frozenset({(MeaningKind.VERB, "draw"), (MeaningKind.NOUN, "card")}))
        if not any(map(str.isalnum, word)):
            sign = word if word in ENDS or word in BREAKS else "\u2026" if word.startswith("..") else ""
            return 1, Mention(word, frozenset(), sign=sign)
        meanings = frozenset(self._name_meanings(word))
        meanings = meanings or self.lexicon.inflect(word)
        if meanings:
            return 1, Mention(written.get(word, word), meanings)
        return 1, self._guess(word, written.get(word, word))

    def _place_by_symbol(self, words: Sequence[str], at: int) -> tuple[int, Mention] | None:
        """Read a space given as in "the horse south of D14"; return the number of words and the mention."""
        cards = self.lexicon.phrases.get((words[at],), frozenset())
        symbols = [value for kind, value in cards if kind is MeaningKind.CARD]
        if not symbols:
            return None
        for many in (2, 3, 1):
            side = self.lexicon.phrases.get(tuple(words[at + 1 : at + 1 + many]), frozenset())
            end = at + 1 + many
            if end >= len(words) or words[end] not in self.points:
                continue
            tip = self.points[words[end]]
            for sign, row in (("north", tip.row - 1), ("south", tip.row)):
                space = Space(row, tip.col)
                if (MeaningKind.SIGN, sign) in side and self.board.symbols.get(space) in symbols:
                    place = frozenset({(MeaningKind.PLACE, space)})
                    return many + 2, Mention(" ".join(words[at : end + 1]), place)
        return None

    def _name_meanings(self, word: str) -> Iterator[Meaning]:
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

    def _resolve_letters(self, found: Sequence[Mention], written: Mapping[str, str]) -> Iterator[Mention]:
        """Decide whether a word such as "a" is the label of an option or a filler word."""
        for at, mention in enumerate(found):
            if not mention.has(MeaningKind.LETTER) or not mention.has(MeaningKind.FILLER):
                plain = frozenset(one for one in mention.meanings if one[0] is not MeaningKind.BESIDE)
                yield replace(mention, meanings=plain)
                continue
            before = found[at - 1] if at else None
            after = found[at + 1] if at + 1 < len(found) else None
            alone = after is None or bool(after.sign) or after.has(MeaningKind.SIGN, "requests")
            if after is not None:
                beside = self.lexicon.phrases.get(tuple(after.text.split()[:1]), ())
                alone = alone or (MeaningKind.BESIDE, "after_letter") in beside
            named = before is not None and (
                before.has(MeaningKind.NOUN, "option") or before.has(MeaningKind.BESIDE, "before_letter")
            )
            if alone or named:
                meanings = frozenset(one for one in mention.meanings if one[0] is MeaningKind.LETTER)
                yield replace(mention, meanings=meanings)
            elif not (written.get(mention.text, "").isupper() and before is not None and not before.sign):
                yield replace(mention, meanings=mention.meanings - {(MeaningKind.LETTER, mention.text)})
            else:
                yield mention

    def _mend(self, word: str) -> frozenset[Meaning]:
        """Return the meanings of the long word of an order that is one slip away, if there is only one."""
        if not SHORTEST_MENDED <= len(word) <= LONGEST_WORD or is_known_word(word):
            return frozenset()
        near = {name: frozenset({(MeaningKind.PLACE, space)}) for name, space in self.places.items()}
        found = {
            meanings
            for known, meanings in (*near.items(), *self.lexicon.guessed.items())
            if len(known) >= SHORTEST_MENDED and known[0] == word[0] and count_slips(word, known, 1) == 1
        }
        return found.pop() if len(found) == 1 else frozenset()

    # --- slips ------------------------------------------------------------------------------------------

    def _guess(self, word: str, written: str) -> Mention:
        bare = fold_accents(word).removesuffix("'s")
        if not self.guesses:
            return Mention(written, self._mend(bare))
        begun = self.lexicon.begun.get(bare)
        if begun is not None and not is_known_word(bare):
            kind = MeaningKind.VERB if isinstance(begun, Verb) else MeaningKind.CARD
            return Mention(written, frozenset({(kind, begun)}), guessed=True)
        if len(bare) < SHORTEST_GUESSED - 1 or len(bare) > LONGEST_WORD:
            return Mention(written, frozenset())
        ranked: list[tuple[float, Meaning]] = []
        for name, space in self.places.items():
            close = space in self.near
            if close and len(bare) >= SHORTEST_GUESSED - 1 and name.startswith(bare):
                ranked.append((1.0, (MeaningKind.PLACE, space)))
                continue
            far = count_slips(bare, name, _allowed_slips(bare, name))
            if far <= _allowed_slips(bare, name):
                ranked.append((far + (0 if close else 0.6), (MeaningKind.PLACE, space)))
        for known, meanings in self.lexicon.guessed.items():
            most = _allowed_slips(bare, known)
            far = count_slips(bare, known, most)
            if far <= most:
                ranked += [
                    (far + 0.3, one)
                    for one in meanings
                    if one[0] in (MeaningKind.VERB, MeaningKind.CARD, MeaningKind.NOUN)
                ]
        for name, seat in self.players.items():
            if len(name) >= SHORTEST_GUESSED and count_slips(bare, name, 1) <= 1:
                ranked.append((1.3, (MeaningKind.PLAYER, seat)))
        if not ranked:
            return Mention(written, frozenset())
        best = min(rank for rank, _ in ranked)
        return Mention(written, frozenset(one for rank, one in ranked if rank <= best + 0.35), guessed=True)


@lru_cache(maxsize=16)
def _fold_places(board: Board, lexicon: PhraseBook) -> Mapping[str, Space]:
    found = {fold_accents(name): space for name, space in board.places.items()}
    for own, name in lexicon.places.items():
        if name in board.places:
            found.setdefault(fold_accents(own), board.places[name])
    return found


def _read_dictated(found: Iterable[Mention]) -> Iterator[Mention]:
    """Replace signs that were written as words, such as "comma"."""
    row = list(found)
    for at, mention in enumerate(row):
        around = row[at - 1 : at] + row[at + 1 : at + 2]
        dictated = mention.has(MeaningKind.SIGN, "dictated")
        counted = any(
            one.kinds & {MeaningKind.NUMBER, MeaningKind.POINT, MeaningKind.PLACE} for one in around
        )
        if dictated and not (mention.has(MeaningKind.NOUN) and counted):
            yield Mention(mention.text, frozenset(), sign=",")
        else:
            yield mention


def _resolve_ends(found: Iterable[Mention]) -> Iterator[Mention]:
    """Read "stop" as "march" if a corner follows, perhaps after filler: "stop at C5"."""
    row = list(found)
    for at, mention in enumerate(row):
        after = [*takewhile(lambda one: not one.sign, row[at + 1 : at + 4])]
        follows = next((one for one in after if one.kinds - {MeaningKind.FILLER, MeaningKind.SIGN}), None)
        names_corner = follows is not None and follows.has(MeaningKind.POINT)
        if names_corner and mention.has(MeaningKind.VERB, "end"):
            yield replace(mention, meanings=frozenset({(MeaningKind.VERB, "march")}))
        else:
            yield mention


def _resolve_numbers(found: Iterable[Mention]) -> Iterator[Mention]:
    row = list(found)
    for at, mention in enumerate(row):
        numbers = [*mention.values(MeaningKind.NUMBER), *mention.values(MeaningKind.ORDINAL)]
        if not numbers:
            yield mention
            continue
        around = row[at - 1 : at] + row[at + 1 : at + 2]
        meanings = mention.meanings
        if not mention.has(MeaningKind.ORDINAL) or any(one.has(MeaningKind.NOUN, "corner") for one in around):
            meanings |= {(MeaningKind.CORNER, number) for number in numbers}
        if any(other.has(MeaningKind.NOUN, "corner") for other in around):
            dropped = {MeaningKind.NUMBER, MeaningKind.FILLER}
        elif any(one.has(MeaningKind.VERB, "draw") for one in row[at - 1 : at]) or any(
            one.has(MeaningKind.NOUN, "card") or one.has(MeaningKind.CARD) for one in row[at + 1 : at + 3]
        ):
            dropped = {MeaningKind.CORNER}
        else:
            dropped = set()
        if mention.has(MeaningKind.ORDINAL) and any(
            one.has(MeaningKind.CARD) for one in row[at + 1 : at + 2]
        ):
            filler = frozenset({(MeaningKind.FILLER, "words")})
            yield replace(mention, meanings=filler)  # "the second amphora"
        else:
            yield replace(mention, meanings=frozenset(one for one in meanings if one[0] not in dropped))


TOKEN_AS_WRITTEN = re.compile(r"[^\W\d_]+(?:['-][^\W\d_]+)*")


def _allowed_slips(word: str, known: str) -> int:
    short = min(len(word), len(known))
    return 0 if short < SHORTEST_GUESSED else 1 if short < 7 else 2 if short < 11 else 3


@lru_cache(maxsize=4000)
def _letters_of(word: str) -> frozenset[str]:
    return frozenset(word)


def count_slips(word: str, known: str, most: int) -> int:
    """Return the edit distance of two words, not exact above `most`; a swap of two letters counts once."""
    if abs(len(word) - len(known)) > most or not most >= len(_letters_of(word) ^ _letters_of(known)) / 2:
        return most + 1  # a slip changes at most two letters of the set
    before: list[int] = []
    row: list[int] = [*range(len(known) + 1)]
    for at, letter in enumerate(word, 1):
        new: list[int] = [at]
        for other, own in enumerate(known, 1):
            cost: int = min(row[other] + 1, new[-1] + 1, row[other - 1] + (letter != own))
            swapped = at > 1 and other > 1 and letter == known[other - 2] and word[at - 2] == own
            new.append(min(cost, before[other - 2] + 1) if swapped else cost)
        if min(new) > most:
            return most + 1
        before, row = row, new
    return row[-1]


STRONG = frozenset({MeaningKind.VERB, MeaningKind.CARD, MeaningKind.PLACE, MeaningKind.POINT})
NAMES = STRONG - {MeaningKind.VERB} | {MeaningKind.LETTER, MeaningKind.NUMBER, MeaningKind.CORNER}
MOST_VARIANTS = 4
MOST_ALTERNATIVES = 2


class ClauseLink(Enum):
    """The relation of a clause to the previous one, other than plain succession."""

    ALTERNATIVE = auto()
    """Either this clause or the previous one is meant."""
    CORRECTION = auto()


@dataclass(frozen=True, slots=True)
class Clause:
    mentions: tuple[Mention, ...]
    link: ClauseLink | None = None
    strange: int = 0

    @property
    def strong(self) -> tuple[Mention, ...]:
        return tuple(one for one in self.mentions if is_strong(one))

    @property
    def has_verb(self) -> bool:
        return any(one.has(MeaningKind.VERB) and not one.has(MeaningKind.FILLER) for one in self.mentions)


def is_strong(mention: Mention) -> bool:
    return bool(mention.kinds & STRONG) and MeaningKind.FILLER not in mention.kinds and not mention.guessed


def is_name(mention: Mention) -> bool:
    return bool(mention.kinds & NAMES) and MeaningKind.FILLER not in mention.kinds


def list_variants(clauses: Sequence[Clause]) -> tuple[tuple[Clause, ...], ...]:
    corrected: list[Clause] = []
    for clause in clauses:
        if clause.link is ClauseLink.CORRECTION and corrected:
            corrected = [*_replace(corrected, clause)]
        else:
            corrected.append(clause)
    choices: list[list[list[Clause]]] = []
    for clause in corrected:
        if clause.link is ClauseLink.ALTERNATIVE and choices and len(choices[-1]) <= MOST_ALTERNATIVES:
            before = choices[-1][0]
            choices[-1].append([*_replace(before, clause)])
        else:
            choices.append([[clause]])
    found = [tuple(one for part in parts for one in part) for parts in product(*choices)]
    return tuple(found[:MOST_VARIANTS])


def _replace(before: Sequence[Clause], clause: Clause) -> Iterator[Clause]:
    plain = replace(clause, link=None)
    if clause.has_verb:
        verbs = _verbs_of(clause)
        at = next(
            (n for n in range(len(before) - 1, -1, -1) if verbs & _verbs_of(before[n])), len(before) - 1
        )
        yield from (*before[:at], plain, *before[at + 1 :])
        return
    rest = list(before)
    kinds = {kind for one in clause.mentions if is_name(one) for kind in one.kinds} & NAMES
    for at in range(len(rest) - 1, -1, -1):
        same = [one for one in rest[at].mentions if one.kinds & kinds]
        if same:
            kept = tuple(one for one in rest[at].mentions if one not in same)
            rest[at] = replace(rest[at], mentions=(*kept, *clause.mentions))
            yield from rest
            return
    yield from (*rest, plain)


def _verbs_of(clause: Clause) -> set[MentionedThing]:
    plain = [one for one in clause.mentions if not one.has(MeaningKind.FILLER)]
    return {value for one in plain for value in one.values(MeaningKind.VERB)}


MOST_CLAUSES = 14


class Aside(Enum):
    QUESTION = auto()
    CONDITION = auto()
    PLAN = auto()
    OTHERS = auto()


@dataclass(slots=True)
class MentionClauses:
    """The clauses of a text, and what it says beside them; `parse` finds both."""

    variants: tuple[tuple[Clause, ...], ...] = ()
    clauses: list[Clause] = field(default_factory=list)
    denied: list[tuple[Mention, ...]] = field(default_factory=list)
    unknown: list[str] = field(default_factory=list)
    condition: str = ""
    plan: str = ""
    question: bool = False
    retracted: str = ""
    doubted: bool = False
    """True if the text has a negation, a hedge such as "maybe", or words about another player's move."""
    now: list[Mention] = field(default_factory=list)
    link: ClauseLink | None = None
    strange: int = 0
    negated: bool = False
    aside: Aside | None = None
    skipping: bool = False
    since: int = 0  # index of the first clause that a following condition or plan drops
    depends: bool = False  # between a condition and the clause that it applies to
    begun: int = 0
    _last_sign: str = ""
    _halting: bool = False

    def parse(self, mentions: Sequence[Mention]) -> MentionClauses:
        sentence: list[Mention] = []
        for at, mention in enumerate(mentions, 1):
            sentence.append(mention)
            if mention.sign in ENDS or at == len(mentions):
                self._parse_sentence(sentence)
                sentence = []
        if self.link is ClauseLink.CORRECTION:
            self.retracted = self.retracted or self._last_sign
        self.doubted |= self.link is ClauseLink.ALTERNATIVE  # "b or so"
        if not self.retracted:
            self.variants = list_variants(self.clauses[:MOST_CLAUSES])
        return self

    def _parse_sentence(self, sentence: Sequence[Mention]) -> None:
        asked = self._is_question(sentence)
        self.aside, self.negated = Aside.QUESTION if asked else None, False
        self.since = self.begun = begun = len(self.clauses)
        for at, mention in enumerate(sentence):
            following = sentence[at + 1] if at + 1 < len(sentence) else None
            self._take_mention(mention, following)
        self._close()
        if self.depends:  # then the condition applies to the clauses before it
            del self.clauses[begun:]
            self.depends = False
        if len(self.clauses) > begun and self.strange:  # unknown words at the end
            self.clauses[-1] = replace(self.clauses[-1], strange=self.clauses[-1].strange + self.strange)
        elif len(self.clauses) == begun and self.strange:  # the sentence is not about the game
            del self.unknown[-self.strange :]
            self.doubted = True
        self.strange = 0
        if self.link is ClauseLink.CORRECTION and not self._halting:
            self.link = None

    def _is_question(self, sentence: Sequence[Mention]) -> bool:
        if any(one.has(MeaningKind.SIGN, "requests") for one in sentence):
            return False
        if any(one.text == "?" for one in sentence):
            return True
        first = next((one for one in sentence if one.meanings and one.kinds != {MeaningKind.FILLER}), None)
        if first is None or first.has(MeaningKind.FILLER):
            return False
        return first.has(MeaningKind.SIGN, "questions")

    def _take_mention(self, mention: Mention, following: Mention | None) -> None:
        if mention.sign:
            divided = mention.sign == "/" and self.now and self.now[-1].has(MeaningKind.POINT)
            self._close()
            if divided and following is not None and following.has(MeaningKind.POINT):
                self.link = ClauseLink.ALTERNATIVE
            self.negated = False
            self.since = len(self.clauses)
            if self.aside is Aside.OTHERS:
                self.aside = None
            return
        if not mention.meanings:
            if any(map(str.isalpha, mention.text)):
                self.unknown.append(mention.text)
                self.strange += 1
            return
        signs = {str(value) for value in mention.values(MeaningKind.SIGN)}
        if signs and not self._take_signs(mention, signs, following):
            return
        if mention.kinds == {MeaningKind.FILLER}:
            return
        if self.skipping and is_name(mention):
            self.skipping = False
            self.unknown.append(mention.text)
            return
        if self._begins_clause(mention, following):
            self._close()
        self.now.append(mention)

    def _take_signs(self, mention: Mention, signs: set[str], following: Mention | None) -> bool:
        ends = following is None or bool(following.sign)
        if "negations" in signs and not ("corrections" in signs and ends):
            firm = "instead" in signs or not self.now
            self._close()
            self.negated, self.doubted = True, self.doubted or not firm
            return False
        if "hedges" in signs:
            self.doubted = True
            return False
        self.doubted |= not signs.isdisjoint({"past", "loose", "mild", "others"})
        if "retractions" in signs:
            self._close()
            self.clauses.clear()
            self.retracted = mention.text
            self._last_sign = mention.text
            return False
        if "corrections" in signs:
            if self.clauses or self.now:
                self._close()
                self.link, self._last_sign = ClauseLink.CORRECTION, mention.text
                self._halting = "halts" in signs
            return False
        if signs & {"only_if", "conditions"}:
            if "only_if" in signs:
                self.since = self.begun
            if self.now or "only_if" in signs:
                self._drop_since()
            self.depends = True
            self.aside, self.condition = Aside.CONDITION, mention.text
            return False
        if "plans" in signs:
            self._drop_since()
            self.aside, self.plan = Aside.PLAN, mention.text
            return False
        if "either" in signs:
            self._close()
            self.link = ClauseLink.ALTERNATIVE
            return False
        if "joining" in signs and not (mention.has(MeaningKind.ORDINAL) and not self.now):
            self._close()
            self.since = len(self.clauses)
            return mention.has(MeaningKind.NOUN) or mention.has(MeaningKind.VERB)
        if "others" in signs and not self.now and self.aside is None:
            self.aside = Aside.OTHERS
            return False
        if "they" in signs and not self.now:  # "ze neemt Troje", unlike "haal ze terug"
            self.doubted = True
        if "besides" in signs:
            self.skipping = True
            return False
        return bool(signs & {"giving", "passing", "leaving"}) or mention.kinds != {MeaningKind.SIGN}

    def _drop_since(self) -> None:
        self.now.clear()
        del self.clauses[self.since :]

    def _begins_clause(self, mention: Mention, following: Mention | None) -> bool:
        repeatable = mention.kinds & {MeaningKind.VERB, MeaningKind.CARD} or mention.has(
            MeaningKind.NOUN, "supply"
        )
        if mention in self.now and repeatable:
            return True
        is_verb = mention.has(MeaningKind.VERB) and not mention.kinds & {MeaningKind.FILLER, MeaningKind.NOUN}
        if not is_verb or not self.now:
            return False
        verbs = [one for one in self.now if one.has(MeaningKind.VERB) and not one.has(MeaningKind.FILLER)]
        named = any(is_name(one) for one in self.now)
        if not verbs and (following is None or following.sign or following.has(MeaningKind.SIGN, "joining")):
            return False  # "the soldier take"
        if verbs and not named:
            return all(
                set(one.values(MeaningKind.VERB)).isdisjoint(mention.values(MeaningKind.VERB))
                for one in verbs
            )
        return named or bool(verbs)

    def _close(self) -> None:
        found, link = tuple(self.now), self.link
        self.now.clear()
        names = all(one.kinds & NAMES or not one.has(MeaningKind.VERB) for one in found)
        self.doubted |= self.negated and not (names and any(map(is_name, found)))
        if not found or all(one.kinds <= {MeaningKind.FILLER, MeaningKind.SIGN} for one in found):
            return
        if self.aside is not None:
            self.question |= self.aside is Aside.QUESTION and any(map(is_strong, found))
            self.doubted = True
            self.depends = self.depends and not any(map(is_strong, found))
            return
        if self.negated:
            if strong := tuple(one for one in found if is_strong(one) or is_name(one)):
                self.denied.append(strong)
            return
        goes_on = len(self.clauses) > self.begun and self.clauses[-1].mentions[-1].has(MeaningKind.POINT)
        is_path = all(one.has(MeaningKind.POINT) or one.has(MeaningKind.SIGN, "passing") for one in found)
        if link is None and goes_on and is_path:
            last = self.clauses[-1]
            self.clauses[-1] = replace(last, mentions=(*last.mentions, *found))
            return
        self.clauses.append(Clause(found, link, self.strange))
        self.link, self.retracted, self.strange = None, "", 0
