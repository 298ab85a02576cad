"""Requests for a new game by mail: players and settings, in all supported languages."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache
from itertools import takewhile
from typing import TypeVar

from emails.languages.lexicon import GameKey, GameWords, join_programs, whole_lexicon, words_of
from emails.languages.supported_languages import (
    ENGLISH,
    LANGUAGE_NAMES,
    LANGUAGES,
    Words,
    join,
    match_words,
)
from emails.letters.lobby_letters import (
    LONGEST_NAME,
    LONGEST_READ,
    GameRequest,
    Guest,
    is_address,
    name_from_address,
    tidy_address,
    tidy_note,
)
from emails.names import holds_link
from emails.picture import palette
from emails.picture.palette import clean_name
from emails.replies import parsed_mail, quotations
from emails.replies.grammars import build_proposal_grammar
from emails.replies.parsed_mail import Mail
from emails.replies.remarks import begins_with_yes, is_courteous
from emails.replies.reply_reader import read_reply
from emails.terms import TURN_TIMES, AbsenceRule, Caretaker, Tempo
from emails.tokens import is_inbox_address
from engine.bots.strengths import PROFILES, Strength, find_bot_choice
from engine.editions import EDITIONS, Edition

NONE: Words = frozenset()
TITLE_WORDS = frozenset("alexandros leo colovini".split())
PARTICLES = frozenset("de van der den ten ter het von la le di da el al bin 't".split())
MOST_BOT_SEATS = 99
TOKEN = re.compile(r"[^\s<>()\[\],;:\"“”]+")
WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*|'t")  # noqa: RUF001


PATTERNS: Mapping[str, str] = {
    "language": r"\b{naming}(?P<code>{code})\b"
    r"|(?:\b{naming}|\b{in_language} |^)(?P<language>{tongue})\b(?! {rules})",
    "game_name": r"(?:^|[,;.])\W*{game_name} ?[:=] ?(?P<name>[^,;]+)"
    r"|\b(?:is )?{called} (?:[\"“](?P<quoted>[^\"“”]+)[\"”]|(?P<called>[^,;.]+?)(?= {with_} |[,;.]|$))",
    "own_name": r"\b{own_name} (?P<name>[^\s,;.!@<>()]+(?: [^\s,;.!@<>()]+){0,3})",
    "removal": r"\b{removing} (?P<name>[^,;]+?)(?=[,;.!]?\s*$|[,;]| {and_} )",
    "game_setting": r"\b{settings}\b[^:=]{0,20}[:=]|\b{setting_words}\b",
    "list_number": r"^\W*(?:{seat} ?)?\d{1,2} ?[.):](?=\s)",
    "reply_prefix": r"^(?:{reply_prefix}\s*:\s*)+",
    "guest_note": r"^\W*(?:{mine} )?{note}(?: {note_to} (?:{mine} )?{guests})? ?[:=]\s*(?P<words>.*)$",
    "advice": r"\b(?:(?P<none>{none_of}) |{with_} |){advice}\b(?: ?[:=] ?(?P<off>{off})\b)?",
    "caretaker": r"\b(?:{articles} )?(?:(?P<how>{manner}) {caretaker}"
    r"|{caretaker} ?[:=] ?(?P<said>{manner}))\b",
    "absence": r"\b{caretaker} ?[:=] ?(?:(?P<seat>{whole_seat})|(?P<turn>{each_turn_late})|{substitute})\b",
    # such as "2 houses", "a strong house", "house: strong", "house: none"
    "bots": r"{others}(?:\b(?P<none>{none_of}) )?(?:\b(?P<count>{count}) )?(?:{articles} )?"
    r"(?:\b(?P<how>{strength}) )?\b{bot}(?! {rules}\b)"
    r"(?: ?[:=] ?(?P<off>{off})\b"
    r"|(?: ?[:=] ?| \(?)(?P<named>{named}(?:(?:, ?| (?:{and_}|&) ){named})*)\)?)?",
    "bot_name": r"{named}",
    # such as "house" in "house Ben <ben@example.org>"
    "bot_before_name": r"(?:{count} )?(?:{strength} )?{bot}(?: {strength})?(?= )",
    "tempo": r"\b(?:(?P<how>{quick}) {pace}|{pace} ?[:=] ?(?P<said>{quick}))\b",
    "limit": r"(?<![\w.,@-])(?P<count>{count})[ -]?(?P<unit>{unit})\b",
}
"""Patterns of a request; "{note}" stands for the words of a field of requests.toml, or for `_parts`."""
STRENGTHS: Mapping[GameKey, Strength] = {
    "easy": Strength.EASY,
    "steady": Strength.STEADY,
    "strong": Strength.STRONG,
}
TEMPOS: Mapping[GameKey, Tempo] = {
    "relaxed": Tempo.RELAXED,
    "lively": Tempo.LIVELY,
    "live": Tempo.LIVE,
    "live_fast": Tempo.FAST,
}
MINUTES: Mapping[GameKey, int] = {"minutes": 1, "hours": 60, "days": 24 * 60}
Value = TypeVar("Value")


@dataclass(frozen=True, slots=True, eq=False)
class GameRequestWords:
    """The words of requests in all languages."""

    known: GameWords
    fillers: Words
    editions: Mapping[str, Words]
    edition_codes: Mapping[str, Words]
    own_words: Mapping[str, Words]
    """The words of each language."""
    languages: Mapping[str, str]
    """Codes of languages, by name and by code in lower case."""
    parts: Mapping[str, str]
    """Regular expressions that replace the names in braces in `PATTERNS`."""

    def value_of(self, word: str, values: Mapping[GameKey, Value]) -> Value:
        """Return the value of the field that contains a word."""
        return next(value for key, value in values.items() if word.casefold() in self.known[key])


def request_words() -> GameRequestWords:
    return _compose_words(tuple(LANGUAGES))


@cache
def _compose_words(codes: tuple[str, ...]) -> GameRequestWords:
    requests = {code: words_of(code).requests for code in codes}
    known = join([own.game for own in requests.values()])
    named = {name: code for code in codes for name in LANGUAGE_NAMES[code]}
    return GameRequestWords(
        known=known,
        fillers=known["words"] | known["neutral"] | TITLE_WORDS | PARTICLES,
        editions=join([own.editions for own in requests.values()]),
        edition_codes=join([own.edition_codes for own in requests.values()]),
        own_words={code: own.game["words"] | own.game["telling"] for code, own in requests.items()},
        languages=named | {code.casefold(): code for code in codes},
        parts={**{key: match_words(words) for key, words in known.items()}, **_compose_parts(known, named)},
    )


def _compose_parts(known: GameWords, languages: Collection[str]) -> Mapping[str, str]:
    strength = match_words(frozenset[str]().union(*(known[key] for key in STRENGTHS)))
    quick = match_words(frozenset[str]().union(*(known[key] for key in TEMPOS)))
    return {
        "bot": rf"(?:{match_words(known['house'])})\b(?: (?:{match_words(known['players'])}))?",
        "code": match_words([code.casefold() for code in LANGUAGES]),
        "count": rf"\d{{1,5}}|{match_words(tuple(whole_lexicon().numbers))}",
        "manner": match_words(known["quiet"] | known["gentle"]),
        "mine": match_words(known["articles"] | known["own"]),
        "named": rf"(?:{strength}|{'|'.join(PROFILES)})\b",
        "naming": rf"(?:{match_words(known['language'])})[^:=]{{0,20}}[:=] ?",
        "off": rf"{match_words(known['none'])}|0",
        "others": "".join(rf"(?<!{re.escape(word)} )" for word in sorted(known["own"])),
        "own_name": match_words(known["own_name"]).replace("'", "['\u2019]"),
        "quick": quick.replace(r"\-", "[ -]"),
        "reply_prefix": "|".join(join_programs(tuple(LANGUAGES))["reply_prefixes"]),
        "strength": strength,
        "tongue": match_words(languages),
        "unit": match_words(frozenset[str]().union(*(known[key] for key in MINUTES))),
    }


@lru_cache(maxsize=256)
def _compile(pattern: str, words: GameRequestWords) -> re.Pattern[str]:
    filled = re.sub(r"\{([a-z_]+)\}", lambda found: f"(?:{words.parts[found[1]]})", pattern)
    return re.compile(filled, re.IGNORECASE)


def pattern_of(name: str) -> re.Pattern[str]:
    return _compile(PATTERNS[name], request_words())


def _edition_pattern(edition: Edition) -> re.Pattern[str]:
    """Compile a pattern for the names of an edition, and for forms such as "English rules"."""
    words, named = request_words(), sorted(list_edition_words(edition), key=len, reverse=True)
    names = "|".join(re.escape(name).replace(r"\ ", "[ -]?") for name in named)
    called, codes = (by.get(edition.name, NONE) for by in (words.editions, words.edition_codes))
    return _compile(
        rf"\b(?:{names})(?: {{rules}})?\b"
        rf"|\b(?:{match_words(called)}) (?:{{rules}}|{{rules_alone}})\b"
        rf"|\b{{rules}} ?[:=] ?(?:{match_words(called | codes)})\b",
        words,
    )


def list_edition_words(edition: Edition) -> tuple[str, ...]:
    return (edition.name.replace("-", " ").casefold(), *edition.synonyms)


def is_filler(word: str) -> bool:
    named = (name for edition in EDITIONS.values() for name in list_edition_words(edition))
    return word in request_words().fillers or any(word in name.split() for name in named)


def guess_language_of_lines(lines: Iterable[str]) -> str | None:
    """Guess a language by the words that occur in no other language; None if several are equally likely."""
    words = {word for line in lines for word in WORD.findall(line.casefold())}
    own = request_words().own_words
    counts: dict[str, int] = {}
    for code, known in own.items():
        others = frozenset[str]().union(*(own[other] for other in own if other != code))
        counts[code] = len(words & known - others)
    best = max(counts.values())
    found = [code for code, count in counts.items() if count == best]
    return found[0] if len(found) == 1 else None


def read_count(count: str) -> int:
    return int(count) if count.isdigit() else whole_lexicon().numbers[count.casefold()]


def read_bot_seats(line: str) -> tuple[list[str] | None, str]:
    """Return the bots requested in a line, a strength or a name for each seat, and the rest of the line.

    The bots are None if the line does not mention any.
    """
    seats: list[str] | None = None
    pattern = pattern_of("bots")
    for found in pattern.finditer(line):
        is_none = found["none"] or found["off"]
        seats = [] if is_none or seats is None else seats
        if not is_none:
            seats += _read_bot_choices(found)
    return seats if seats is None else seats[:MOST_BOT_SEATS], pattern.sub(" , ", line)


def _read_bot_choices(found: re.Match[str]) -> list[str]:
    usual = _bot_choice(found["how"]) if found["how"] else Strength.STEADY.value
    named = [_bot_choice(word) for word in pattern_of("bot_name").findall(found["named"] or "")]
    if len(named) == 1:
        known = PROFILES.get(named[0])
        usual = named[0] if known is None else known.strength.value
    number = read_count(found["count"] or "1")
    return named + [usual] * min(MOST_BOT_SEATS, number - len(named))


def _bot_choice(word: str) -> str:
    known = find_bot_choice(word)
    if known is None or isinstance(known, Strength):
        return request_words().value_of(word, STRENGTHS).value
    return known.name


def tidy_name(name: str) -> str:
    name = palette.clean_name(name, 200).strip(" \"'“”*_-=.,:()[]<>•·|")
    return "" if holds_link(name) else palette.clean_name(name, LONGEST_NAME)


def split_name(ahead: str, angled: bool) -> tuple[str, str]:
    """Return the name at the end of `ahead`, and the rest. `angled`: a bracket precedes the address."""
    ahead = re.sub(r"[:=\s]+(?=[<(\[\s]*$)", " ", ahead)  # "Ben: ben@example.org"
    cut = max(ahead.rfind(sign) for sign in ",;:") + 1
    words = ahead[cut:].split()
    at = len(words)
    while at and is_name_word(words[at - 1]):
        at -= 1
    if house := pattern_of("bot_before_name").match(" ".join(words[at:])):
        at += len(house[0].split())
    name = re.sub(r"^[\W\d_]+", "", tidy_name(" ".join(words[at:])))
    capital = any(word[:1].isupper() for word in name.split())
    if not name or len(words) - at > 6 or not (angled or capital or " " not in name):
        return "", ahead
    return name, ahead[:cut] + " ".join(words[:at])


def is_name_word(word: str) -> bool:
    plain = word.strip("\"'“”*_-.()<>[]").casefold()
    if plain in request_words().known["names"] and word[:1].isupper():
        return True
    ends = word.endswith((".", "!", "?")) and len(plain) > 2
    if not plain or plain in PARTICLES:
        return True
    removing = plain in request_words().known["removing"]
    return not removing and not is_filler(plain) and not ends


BEGINS_ANEW = re.compile(r"\W|[^\W\d_]+(?: [^\W\d_]+){0,3} ?[:=]|\S+@")
SHORTEST_WRAPPED = 55


def read_note(line: str) -> str | None:
    """Return a line's note to the guests; empty if the line withdraws the note; None for other lines."""
    found = pattern_of("guest_note").match(line)
    if found is None:
        return None
    words = tidy_note(found["words"]).strip('"“”')
    return "" if words == "-" or words.casefold() in request_words().known["none"] else words


def join_wrapped_notes(lines: Iterable[str]) -> list[str]:
    found: list[str] = []
    last = 0
    for line in lines:
        wrapped = bool(found) and pattern_of("guest_note").match(found[-1]) and last >= SHORTEST_WRAPPED
        if wrapped and not BEGINS_ANEW.match(line) and len(found[-1]) < LONGEST_READ:
            found[-1] += " " + line
        else:
            found.append(line)
        last = len(line)
    return found


MOST_LINES, LONGEST_LINE = 60, 300
MOST_GUESTS = 12
MOST_UNREAD = 8


# --- a mail ---------------------------------------------------------------------------------------------


def find_sender(mail: Mail) -> Guest | None:
    """Return the author of a mail; None unless there is exactly one usable address."""
    author = mail.headers.author
    if not is_address(tidy_address(author)):
        return None
    name, address = next(one for one in mail.headers.people("from") if one[1].lower() == author)
    address = tidy_address(address)
    return Guest(tidy_name(name) or name_from_address(address), address)


def accepts_proposal(mail: Mail, sent: str | None) -> bool:
    """True if a mail accepts the proposal of a game; `sent`: the text of the proposal letter, if known."""
    return read_reply(mail, build_proposal_grammar(), sent).says_yes


def leans_towards_yes(mail: Mail) -> bool:
    grammar = build_proposal_grammar()
    lines = _own_lines(mail)[:MOST_LINES]
    return any(grammar.says_yes(line) or begins_with_yes(line, grammar.lexicon) for line in lines)


def guess_language(mail: Mail) -> str | None:
    return guess_language_of_lines((*_own_lines(mail), mail.headers.first("subject")))


def read_game_request(
    mail: Mail, organiser: Guest, domain: str, before: GameRequest | None = None, usual: str = ENGLISH
) -> GameRequest:
    """Parse a mail that requests a game, from its lines, subject and other recipients; never raises.

    `domain`: the domain of this server. `before`: the writer's previous request, for values that the mail
    does not mention. `usual`: the language, if the words of the mail do not decide it.
    """
    lines = join_wrapped_notes(_own_lines(mail))
    subject = "" if before else mail.headers.first("subject")
    language = guess_language_of_lines((*lines, subject)) or usual
    old = before or GameRequest(organiser, name=_title_from_subject(subject), language=language)
    builder = _GameRequestBuilder(domain, old, before is not None, old)
    people = frozenset(WORD.findall(organiser.name.casefold()))
    for line in lines[:MOST_LINES]:
        if builder.has_content and is_courteous(line, people, greets=False):
            break
        builder.read_line(line)
    if len(lines) > MOST_LINES:
        builder.unread.append(parsed_mail.CUT_MARK)
    for name, address in mail.headers.people("to", "cc")[:MOST_GUESTS]:
        if not is_inbox_address(address, domain):
            builder.note_person(tidy_name(name), address)
    return builder.build()


def _own_lines(mail: Mail) -> Sequence[str]:
    """Return the writer's lines above the quotation or, if there are none, below it."""
    if mail.body.strange:
        return ()
    return [line[:LONGEST_LINE] for line in mail.text.own if line] or [
        line[:LONGEST_LINE] for line in quotations.split_below(mail.text.quoted)[0] if line
    ]


def _title_from_subject(subject: str) -> str:
    subject = clean_name(pattern_of("reply_prefix").sub("", subject), LONGEST_NAME)
    nothing = request_words().known["no_subject"]
    words = WORD.findall(subject.casefold())
    if holds_link(subject) or all(word in nothing or is_filler(word) for word in words):
        return ""
    return subject


# --- its lines ------------------------------------------------------------------------------------------


@dataclass(slots=True)
class _GameRequestBuilder:
    domain: str
    old: GameRequest
    changes: bool
    """Whether the mail changes `old`, an earlier request."""
    request: GameRequest
    """The request with the settings read so far."""
    rest: str = ""
    """The part of the current line that is not read yet."""
    guests: dict[str, Guest] = field(default_factory=dict)
    houses: list[str] | None = None
    own_name: str = ""
    without: list[tuple[str, str]] = field(default_factory=list)
    unread: list[str] = field(default_factory=list)
    unreachable: list[str] = field(default_factory=list)
    has_content: bool = False

    def _can_invite(self, address: str) -> bool:
        """True if an address can be invited; a domain without a dot must be the writer's domain."""
        domain, own = (one.rpartition("@")[2].lower() for one in (address, self.old.organiser.address))
        return (
            is_address(address)
            and not is_inbox_address(address, self.domain)
            and ("." in domain or domain == own)
        )

    def read_line(self, line: str) -> None:
        if build_proposal_grammar().says_yes(line):
            return
        if (note := read_note(line)) is not None:
            self.request, self.has_content = replace(self.request, note=note), True
            return
        before, own_name = self.request, self.own_name
        self.rest = self._read_people(line)
        self._read_settings()
        self.has_content = self.has_content or self.rest != line
        own = WORD.findall(self.old.organiser.name.casefold())
        if all(word in own or is_filler(word) for word in WORD.findall(self.rest.casefold())):
            return
        self.unread.append(line)
        about_game = pattern_of("game_setting").search(line)  # not "I am away for 5 days"
        if self.changes and not about_game:
            self.request, self.own_name = before, own_name
        elif self.request.is_nearest_pace and not about_game:
            time, is_nearest = before.time, before.is_nearest_pace
            self.request = replace(self.request, time=time, is_nearest_pace=is_nearest)

    def note_person(self, name: str, address: str) -> None:
        address = tidy_address(address)
        key = address.lower()
        if not self._can_invite(address):
            self.unreachable.append(address)
        elif key == self.old.organiser.address.lower():
            self.own_name = self.own_name or name
        elif key in self.guests and (not name or self.guests[key].name != name_from_address(address)):
            return
        elif key in self.guests or len(self.guests) < MOST_GUESTS:
            self.guests[key] = Guest(name or self._earlier_name(key) or name_from_address(address), address)

    def _earlier_name(self, key: str) -> str:
        return next((guest.name for guest in self.old.guests if guest.address.lower() == key), "")

    def _read_people(self, line: str) -> str:
        line = re.sub(r'"([^"]{1,80})"(?=\s*<)', lambda found: found[1].replace(",", " "), line)
        line = pattern_of("list_number").sub("", line.replace("mailto:", ""))
        rest, at = "", 0
        for found in TOKEN.finditer(line):
            address = found[0].strip(".!?'’*_")  # noqa: RUF001
            if "@" not in address:
                continue
            ahead = line[at : found.start()]
            angled = ahead.rstrip().endswith(("<", "(", "["))
            name, others = split_name(ahead, angled)
            at = found.end()
            removed = others.split()[-1:]
            after = re.match(r"[>\])]*\s*(?:\(([^()@<>]{1,60})\))?[>\])]*", line[at:])
            if after:
                at += after.end()
                name = name or tidy_name(after[1] or "")
            if removed and removed[0].casefold() in request_words().known["removing"]:
                self.without.append((address.lower(), line))
                others = others[: others.rindex(removed[0])]
            else:
                self.note_person(name, address)
            rest += f"{others} , "
        return rest + line[at:]

    def _take(self, name: str) -> re.Match[str] | None:
        """Find a pattern in the rest of the line, and cut the match out."""
        found = pattern_of(name).search(self.rest)
        if found:
            self.rest = _cut_out(self.rest, found)
        return found

    def _read_settings(self) -> None:
        line, words, request = self.rest, request_words(), self.request
        if found := self._take("game_name"):
            name = tidy_name(found["name"] or found["quoted"] or found["called"])
            request = replace(request, name=name or request.name)
        if found := self._take("advice"):
            request = replace(request, advice=not (found["none"] or found["off"]))
        if found := self._take("absence"):
            each = AbsenceRule.ALWAYS if found["turn"] else AbsenceRule.TURN
            request = replace(request, absence=AbsenceRule.SEAT if found["seat"] else each)
        if found := self._take("caretaker"):
            how = (found["how"] or found["said"]).casefold()
            caretaker = Caretaker.QUIET if how in words.known["quiet"] else Caretaker.GENTLE
            request = replace(request, caretaker=caretaker)
        removed = pattern_of("removal").search(self.rest)
        if removed and not pattern_of("bots").fullmatch(removed[0].strip()):
            self.without.append((tidy_name(removed["name"]).casefold(), line))
            self.rest = _cut_out(self.rest, removed)
        if found := pattern_of("own_name").search(self.rest):
            own = list(takewhile(is_name_word, found["name"].split()))
            if own and own[0][:1].isupper():
                self.own_name = tidy_name(" ".join(own))
                behind = found.start("name") + len(" ".join(own))
                self.rest = f"{self.rest[: found.start()]} , {self.rest[behind:]}"
        for edition in reversed(EDITIONS.values()):
            if found := _edition_pattern(edition).search(self.rest):
                request = replace(request, edition=edition.name)
                self.rest = _cut_out(self.rest, found)
        if found := self._take("language"):
            called = (found["code"] or found["language"]).casefold()
            request = replace(request, language=words.languages[called])
        self.request = request
        self._read_pace()
        seats, self.rest = read_bot_seats(self.rest)
        if seats is not None:
            self.houses = [*(self.houses or ()), *seats][:MOST_BOT_SEATS] if seats else []

    def _read_pace(self) -> None:
        if found := self._take("tempo"):
            tempo = (found["how"] or found["said"]).replace(" ", "-")
            time, is_nearest = TURN_TIMES[request_words().value_of(tempo, TEMPOS)], False
        elif (found := pattern_of("limit").search(self.rest)) and (count := read_count(found["count"])):
            minutes = count * request_words().value_of(found["unit"], MINUTES)
            ratio = {one: max(one.minutes / minutes, minutes / one.minutes) for one in TURN_TIMES.values()}
            time = min(ratio, key=ratio.__getitem__)
            is_nearest = time.minutes != minutes
            self.rest = _cut_out(self.rest, found)
        else:
            return
        self.request = replace(self.request, time=time, is_nearest_pace=is_nearest)

    def build(self) -> GameRequest:
        guests = {guest.address.lower(): guest for guest in self.old.guests}
        for key, guest in self.guests.items():
            same = [one for one, other in guests.items() if other.name.casefold() == guest.name.casefold()]
            if same and self.changes and key not in guests:
                del guests[same[0]]  # a new address for a known name replaces the old one
            guests[key] = guest
        for name, line in self.without:
            gone = [key for key, guest in guests.items() if name in (key, guest.name.casefold())]
            for key in gone:
                del guests[key]
            if not gone:
                self.unread.append(line)
        organiser = self.old.organiser
        return replace(
            self.request,
            organiser=replace(organiser, name=self.own_name or organiser.name),
            guests=tuple(guests.values())[:MOST_GUESTS],
            houses=self.old.houses if self.houses is None else tuple(self.houses),
            unread=tuple(dict.fromkeys(self.unread))[:MOST_UNREAD],
            unreachable=tuple(dict.fromkeys(self.unreachable))[:MOST_UNREAD],
        )


def _cut_out(line: str, found: re.Match[str]) -> str:
    return f"{line[: found.start()]} , {line[found.end() :]}"
