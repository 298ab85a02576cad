"""Greetings and farewells in many languages: what stands around orders, and makes none of them unreadable."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from emails.replies.grammars import ReadLine
from emails.replies.retractions import OPENERS
from emails.wording.requests import PLEASE_WORDS
from engine.notation.vocabulary import SYMBOL_WORDS, THANKS_PHRASES, VERBS


def _phrases(text: str) -> frozenset[str]:
    return frozenset(" ".join(phrase.split()) for phrase in text.casefold().split(","))


GREETINGS = _phrases("""
    hi, hello, hey, dear, good morning, good afternoon, good evening,
    hallo, hoi, dag, beste, lieve, goedemorgen, goedemiddag, goedenavond, goedendag,
    moin, servus, liebe, lieber, guten morgen, guten tag, guten abend,
    salut, bonjour, bonsoir, cher, chère, hola, buenos días, ciao, olá, hej, hei, moi, cześć, ahoj,
    привет, здравствуйте, добрый день, γεια, γεια σου, γεια σας, καλημέρα, merhaba, selam, שלום, مرحبا,
    こんにちは, 你好
""")  # noqa: RUF001
FAREWELLS = _phrases("""
    bye, best, warm regards, best wishes, all the best, sincerely, have fun, have a nice day, good luck,
    see you, take care, well played, good game, that is all, met groet, vriendelijke groet, vriendelijke
    groeten, hartelijke groeten, veel plezier, veel succes, succes, fijne dag, tot ziens, doei, danke,
    vielen dank, danke schön, grüsse, gruss, lg, mfg, vg, viele grüsse, liebe grüsse, beste grüsse,
    schöne grüsse, mit freundlichen grüssen, freundliche grüsse, viel spass, tschüss, merci, merci
    beaucoup, merci d avance, cordialement, bien cordialement, amicalement, bises, à bientôt, bonne
    journée, gracias, muchas gracias, saludos, un saludo, grazie, saluti, obrigado, obrigada, abraço,
    tack, hälsningar, med vänliga hälsningar, hilsen, takk, tak, terveisin, kiitos, pozdrawiam, dzięki,
    děkuji, спасибо, с уважением, ευχαριστώ, χαιρετισμούς, teşekkürler, selamlar, תודה, شكرا,
    よろしくお願いします, 谢谢
""") | {" ".join(phrase) for phrase in THANKS_PHRASES if phrase[0] not in PLEASE_WORDS}  # noqa: RUF001
ADDRESSEES = _phrases("""
    all, everyone, everybody, there, folks, again, allemaal, iedereen, zusammen, alle, à, tous, a, todos,
    alla, and, en, und, et, y, och, og
""")


def count_greetings(lines: Sequence[ReadLine], people: Collection[str]) -> int:
    """How many lines at the beginning are greetings and nothing else."""
    return next((at for at, line in enumerate(lines) if not is_greeting(line.words, people)), len(lines))


def find_farewells(lines: Sequence[ReadLine], people: Collection[str]) -> frozenset[int]:
    """Which lines are farewells and nothing else."""
    return frozenset(at for at, line in enumerate(lines) if is_farewell(line.words, people))


def is_greeting(line: str, people: Collection[str]) -> bool:
    """Whether a line is a greeting and nothing else, perhaps with names; thanks may begin a mail too."""
    return _begins_with_phrase(line, GREETINGS | FAREWELLS, people)


def is_farewell(line: str, people: Collection[str]) -> bool:
    """Whether a line is a farewell and nothing else, perhaps with a name."""
    return _begins_with_phrase(line, FAREWELLS, people)


def has_known_name(line: str, people: Collection[str]) -> bool:
    """Whether a farewell or a signature tells who wrote; thanks alone may stand anywhere."""
    return any(word.casefold() in people for word in re.findall(r"\w+", line))


def _begins_with_phrase(line: str, phrases: Collection[str], people: Collection[str]) -> bool:
    words = re.findall(r"\w+", line)[:12]
    for count in range(1, min(len(words), 4) + 1):
        if " ".join(words[:count]).casefold() in phrases and _may_be_addressee(words[count:], people):
            return True
    return False


def _may_be_addressee(words: Sequence[str], people: Collection[str]) -> bool:
    """Whether these words name somebody: people of the game, everybody, or two words that may be a name."""
    if all(word.casefold() in people or word.casefold() in ADDRESSEES for word in words):
        return len(words) < 10
    return len(words) <= 2 and all(map(_may_be_a_name, words))


def _may_be_a_name(word: str) -> bool:
    return word.istitle() and word.casefold() not in VERBS.keys() | SYMBOL_WORDS.keys() | OPENERS
