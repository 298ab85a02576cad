"""What somebody writes under their orders: whether it could take them back or change them.

"No wait, take soldier" can, and "Nice move, Ben!" cannot. Nobody can tell for certain, so that the rule is
wide: where it is wrong the writer is asked, and nothing was played that they did not want. English and Dutch
words are always looked for, whoever writes.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from emails.replies import quotations
from emails.replies.grammars import Grammar
from engine.notation.lexer import TOKEN
from engine.notation.vocabulary import (
    FOLLOWING_WORDS,
    JOINING_WORDS,
    OR_WORDS,
    PAIR_STARTS,
    SMALL_WORDS,
    SYMBOL_WORDS,
    VERB_PAIRS,
    VERBS,
)


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


def _phrases(text: str) -> re.Pattern[str]:
    """Finds any of these, parted by commas, as whole words; in brackets what may stand there too."""
    phrases = (" ".join(phrase.split()) for phrase in text.split(","))
    return re.compile(rf"\b(?:{'|'.join(phrase for phrase in phrases if phrase)})\b")


OPENERS: Final = _words("""
    no nope not don't dont wait stop sorry oops but or first actually rather instead if unless only except
    until before after although though also maybe perhaps hold change correction edit update otherwise
    nee niet geen wacht oeps maar of eerst eigenlijk liever toch als indien tenzij mits alleen behalve
    totdat voordat nadat hoewel ook misschien correctie wijziging anders
""")
"""A sentence that begins so often goes back on what was said before."""
SHARP: Final = _words("no nope wait stop sorry oops nee wacht oeps actually eigenlijk")
"""Those that do so wherever a part of a sentence begins."""
INTERJECTIONS: Final = _words("""
    oh ah ha haha hehe hihi hm hmm hmmm um uh eh er well ok okay yes yeah and so please hey hi hello
    o ach och nou tja ja en dus hè he hoi hallo
""")
"""What may stand before an opener."""
NEGATIONS: Final = _words("no not nope cannot dont neither nor nee niet geen noch")
UNSURE: Final = NEGATIONS | _words("stop maybe perhaps misschien jk")
"""In a sentence of a few words each of these is what it is about."""
DECIDING: Final = _words("""
    want wants wanted mean meant play played playing turn order orders move moves moved yet sure count valid
    anymore execute executed perform carry must should would choose take draw end levy occupy recall march
    pass choosing taking drawing ending levying occupying recalling marching
    wil wilde bedoel bedoelde speel speelt spelen gespeeld beurt opdracht opdrachten zet zetten zeker tel telt
    meer geldig voer uitvoeren moet moest hoeft zou kies kiezen neem nemen pak pakken trek trekken bezet
    bezetten hef heffen marcheer marcheren
""")
"""Beside "not", or the name of a card, these speak of what is to be done."""
RETRACTING: Final = _phrases(r"""
    instead, rather (?:than|have|take|the|not|do|i), in plaats van, in de plaats, liever, kidding,
    jok(?:e|ing), grapje, geintje, forget (?:it|that|this|the|about|what|my),
    vergeet (?:het|dat|dit|de|maar|mijn|wat), ignore, negeer, disregard, cancel\w*, annuleer\w*, undo, redo,
    revoke, retract, withdraw, herroep, terugnemen, trek (?:het|dit|dat|deze) in,
    take (?:it|that|this) back, correction, correctie, i meant?, ik bedoel(?:de)?, mistake\w*, mistyped,
    typo, vergis\w*, fout(?:je)?, wrong, verkeerd, w?h?oops, oeps, scratch (?:that|this|it),
    strike (?:that|this), never ?mind, laat maar, hold on, hang on, wait, wacht, second thoughts?,
    bij nader inzien, chang(?:e|ed|ing) (?:my|of) (?:mind|heart), van gedachten, bedacht me, bedenk me,
    let me think, (?:need|want) to think, nadenken, denk(?:en)? (?:er )?nog, not yet, nog niet,
    toch (?:maar|niet|liever), delete (?:it|this|that|my), replace, vervang,
    should (?:be|read|say|have been), moet(?:en)? zijn, had moeten, should i, shall i, zal ik, moet ik,
    may i, mag ik, can i, kan ik, would do, what if, if (?:it|that|possible|allowed|legal|not),
    als (?:het|dat) (?:mag|kan|niet), zo niet, do you think, denk je, first (?:i|the|we|take|draw),
    eerst (?:nog|even|ik|de|een|het)
""")
"""Words that take back, change or ask, wherever they stand."""
HARMLESS: Final = _phrases(r"""
    not (?:too |so |that |very |half )?(?:bad|nice|kind|fair|easy),
    no (?:hurry|rush|worries|problem|doubt|stress), no pressure, can(?:'t|t|not| not) wait, of course,
    of all, why not, or so, at first, first of all, last but not least, for the first time,
    sorry (?:for|about|that it|that i|it took|to hear|to keep|to be), sorry (?:i'm|i am) late,
    niet (?:te |zo |erg )?(?:slecht|gek|mis|erg|aardig|lief|eerlijk|makkelijk),
    geen (?:haast|probleem|zorgen|stress|dank|idee), nee maar, voor het eerst, niet te geloven,
    niet wachten, sorry (?:voor|dat|van), als (?:altijd|steeds)
""")
"""What sounds like a retraction and is only friendly."""
LEGAL_FOOTER: Final = re.compile(
    r"confidential|vertrouwelijk|intended (?:solely|only|recipient)|disclaimer|(?:alleen|uitsluitend) bestemd"
    r"|geadresseerde|addressee|before printing|voordat u deze"
)
"""What companies put under every mail."""
SENTENCE_END: Final = re.compile(r"[.!?:;()…]+| - ")
WORD: Final = re.compile(r"[^\W_]+(?:'[^\W_]+)?")
POINT: Final = re.compile(r"[a-z]{1,2}[1-9][0-9]?")
SHORT, SHORT_NAMING = 5, 4
"""Words of a sentence that is about each of them."""
POSTPONING: Final = frozenset(
    {"later", "tomorrow", "next turn", "next time", "morgen", "volgende beurt", "volgende keer"}
)
"""Whole sentences that put off."""
MOST_VERBS = 20
"""Words under the orders with which an order could begin; nobody writes more, and to judge one takes time."""
LONGEST_ORDER = 7
"""Words of an order that is looked for among others; the first of them name something."""
NOUNS: Final = _words("card cards kaart kaarten taxes belasting belastingen")
"""Small words that an order may name."""
DASH_ROW_WORDS: Final = OPENERS | OR_WORDS | FOLLOWING_WORDS | JOINING_WORDS
"""Words between rows of dashes that part orders."""
SHORTEST_COPIED = 20
"""Characters of a line that nobody writes again by chance."""
LONE_SIGN: Final = re.compile(r"[\s?!./]*[?/][\s?!./]*")


def find_lone_sign(lines: Sequence[str]) -> str:
    """The first line that is a question mark, or the stroke that means "or", and nothing else; else empty."""
    return next(filter(LONE_SIGN.fullmatch, lines), "")


def find_retraction(
    above: Sequence[str], below: Sequence[str], quoted: Sequence[str], letter: str, grammar: Grammar
) -> str:
    """The first line that could take orders back or change them; empty where none could.

    `above`: what stands between the orders and the name of their writer, and their postscripts; `below`: what
    stands under the name, where a company may say much. `quoted`: the lines from the first sign of anything
    quoted on. `letter`: what they answer.
    """
    above, below = _drop_copied_lines(letter, above), _drop_copied_lines(letter, below)
    for line in above:
        if _retracts(_fold_line(line)):
            return line
    for line in below:
        if _is_short_correction(_fold_line(line)):
            return line
    verbs = 0
    for line in (*above, *below):
        found = _find_verbs(line)
        verbs += len(found)
        if verbs > MOST_VERBS or any(_has_order_at(line, start, grammar) for start in found):
            return line
    return _find_command_under_dashes(quoted, grammar)


def _drop_copied_lines(letter: str, lines: Sequence[str]) -> Sequence[str]:
    """The lines that are not copied from our letter: some programs quote without a mark."""
    words = " ".join(letter.split())
    return [line for line in lines if len(line) < SHORTEST_COPIED or line not in words]


def _fold_line(line: str) -> str:
    folded = line.replace("\u2019", "'").casefold()
    return quotations.POSTSCRIPT.sub("", folded, count=1)


def _retracts(line: str) -> bool:
    if LEGAL_FOOTER.search(line):
        return False
    kind = HARMLESS.sub(" ", line)
    return RETRACTING.search(kind) is not None or any(map(_sentence_retracts, SENTENCE_END.split(kind)))


def _is_short_correction(line: str) -> bool:
    """Whether a line is short and begins as corrections do."""
    words = WORD.findall(line)
    return 0 < len(words) <= SHORT and words[0] in OPENERS and not HARMLESS.search(line)


def _sentence_retracts(sentence: str) -> bool:
    words = _skip_interjections(WORD.findall(sentence))
    held = frozenset(words)
    names = bool(held & SYMBOL_WORDS.keys()) or any(map(POINT.fullmatch, words))
    negated = bool(held & NEGATIONS) or any(word.endswith("n't") for word in words)
    return (
        bool(words and words[0] in OPENERS)
        or any(
            _skip_interjections(WORD.findall(part))[:1][0] in SHARP
            for part in sentence.split(",")
            if WORD.search(part)
        )
        or (len(words) <= SHORT and (negated or bool(held & UNSURE)))
        or (len(words) <= SHORT_NAMING and names)
        or ((names or negated) and bool(held & DECIDING))
        or " ".join(words) in POSTPONING
    )


def _skip_interjections(words: Sequence[str]) -> Sequence[str]:
    """The words from the first on that is more than a sound."""
    at = next((at for at, word in enumerate(words) if word not in INTERJECTIONS), max(len(words) - 1, 0))
    return words[at:]


def _find_verbs(line: str) -> list[int]:
    """Where in a line words stand with which orders begin."""
    found = TOKEN.finditer(line)
    return [one.start() for one in found if one.group().casefold() in VERBS.keys() | PAIR_STARTS]


def _has_order_at(line: str, start: int, grammar: Grammar) -> bool:
    """Whether an order stands in a line from here on: a verb, and what it names."""
    ends = [found.end() for found in WORD.finditer(line, start)][:LONGEST_ORDER]
    pieces = (line[start:end] for end in ends[1:])
    return any(_names_object(piece) and grammar.is_command(piece) for piece in pieces)


def _names_object(piece: str) -> bool:
    verb, *others = (word.casefold() for word in WORD.findall(piece))
    if VERBS.get(verb) == "end" and others[-1] in ("turn", "beurt"):
        return not {"of", "van"}.intersection(others)
    return any(word not in SMALL_WORDS or word in NOUNS or (verb, word) in VERB_PAIRS for word in others)


def _find_command_under_dashes(quoted: Sequence[str], grammar: Grammar) -> str:
    """A command under a row of dashes that may part it from the others only, not end them; else empty.

    Under the mark of a signature nothing counts, nor under the words by which programs begin a quotation.
    """
    rule = quoted[0] if quoted else ""
    if not quotations.DASH_ROW.match(rule) or rule == quotations.SIGNATURE_MARK or quotations.is_marker(rule):
        return ""
    words = WORD.findall(rule.casefold())
    if words and (len(words) > SHORT or not DASH_ROW_WORDS.intersection(words)):
        return ""
    return next(filter(grammar.is_command, quotations.split_at_quotation(quoted[1:])[0]), "")
