"""Requests for a new game by mail: players and settings, in all supported languages."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache
from itertools import takewhile

from emails.languages.lexicon import GameWords, join_programs, whole_lexicon, words_of
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


@dataclass(frozen=True, slots=True, eq=False)
class BotPatterns:
    strengths: Mapping[str, Strength]
    seats: re.Pattern[str]
    """Matches words about bots, such as "2 houses", "a strong house", "house: strong", "house: none"."""
    named: re.Pattern[str]
    before_name: re.Pattern[str]
    """Matches bot words before a guest's name, such as "house" in "house Ben <ben@example.org>"."""
    advice: re.Pattern[str]
    caretaker: re.Pattern[str]
    absence: re.Pattern[str]


@dataclass(frozen=True, slots=True, eq=False)
class TimePatterns:
    minutes: Mapping[str, int]
    limit: re.Pattern[str]
    tempo: re.Pattern[str]
    tempos: Mapping[str, Tempo]


@dataclass(frozen=True, slots=True, eq=False)
class RequestPatterns:
    words: GameWords
    fillers: Words
    editions: Mapping[str, Words]
    edition_codes: Mapping[str, Words]
    own_words: Mapping[str, Words]
    languages: Mapping[str, str]
    bots: BotPatterns
    time: TimePatterns
    language: re.Pattern[str]
    game_name: re.Pattern[str]
    own_name: re.Pattern[str]
    removal: re.Pattern[str]
    game_setting: re.Pattern[str]
    list_number: re.Pattern[str]
    reply_prefix: re.Pattern[str]
    guest_note: re.Pattern[str]


def patterns() -> RequestPatterns:
    return _compose_patterns(tuple(LANGUAGES))


@cache
def _compose_patterns(codes: tuple[str, ...]) -> RequestPatterns:
    requests = [words_of(code).requests for code in codes]
    every = {code: own.game for code, own in zip(codes, requests, strict=True)}
    known = join([*every.values()])
    called = {name: code for code in codes for name in LANGUAGE_NAMES[code]}
    own_codes = {code.casefold(): code for code in codes}
    naming = rf"(?:{match_words(known['language'])})[^:=]{{0,20}}[:=] ?"
    rules, with_ = match_words(known["rules"]), match_words(known["with_"])
    mine = match_words(known["articles"] | known["own"])
    own_name = match_words(known["own_name"]).replace("'", "['\u2019]")
    return RequestPatterns(
        words=known,
        fillers=known["words"] | known["neutral"] | TITLE_WORDS | PARTICLES,
        editions=join([own.editions for own in requests]),
        edition_codes=join([own.edition_codes for own in requests]),
        own_words={code: own["words"] | own["telling"] for code, own in every.items()},
        languages=called | own_codes,
        bots=_compose_bots(known),
        time=_compose_time(known),
        language=_compile(
            rf"\b{naming}(?P<code>{match_words(tuple(own_codes))})\b"
            rf"|(?:\b{naming}|\b(?:{match_words(known['in_language'])}) |^)"
            rf"(?P<language>{match_words(tuple(called))})\b(?! (?:{rules}))"
        ),
        game_name=_compile(
            rf"(?:^|[,;.])\W*(?:{match_words(known['game_name'])}) ?[:=] ?(?P<name>[^,;]+)"
            rf"|\b(?:is )?(?:{match_words(known['called'])}) (?:[\"“](?P<quoted>[^\"“”]+)[\"”]"
            rf"|(?P<called>[^,;.]+?)(?= (?:{with_}) |[,;.]|$))"
        ),
        own_name=_compile(rf"\b(?:{own_name}) (?P<name>[^\s,;.!@<>()]+(?: [^\s,;.!@<>()]+){{0,3}})"),
        removal=_compile(
            rf"\b(?:{match_words(known['removing'])}) (?P<name>[^,;]+?)"
            rf"(?=[,;.!]?\s*$|[,;]| (?:{match_words(known['and_'])}) )"
        ),
        game_setting=_compile(
            rf"\b(?:{match_words(known['settings'])})\b[^:=]{{0,20}}[:=]|\b(?:{match_words(known['setting_words'])})\b"
        ),
        list_number=_compile(rf"^\W*(?:(?:{match_words(known['seat'])}) ?)?\d{{1,2}} ?[.):](?=\s)"),
        reply_prefix=_compile(
            rf"^(?:(?:{'|'.join(join_programs(tuple(LANGUAGES))['reply_prefixes'])})\s*:\s*)+"
        ),
        guest_note=_compile(
            rf"^\W*(?:(?:{mine}) )?(?:{match_words(known['note'])})"
            rf"(?: (?:{match_words(known['note_to'])}) (?:(?:{mine}) )?(?:{match_words(known['guests'])}))?"
            r" ?[:=]\s*(?P<words>.*)$"
        ),
    )


def _count_pattern() -> str:
    return rf"(?P<count>\d{{1,5}}|{match_words(tuple(whole_lexicon().numbers))})"


def _compose_bots(known: GameWords) -> BotPatterns:
    words = {Strength.EASY: known["easy"], Strength.STEADY: known["steady"], Strength.STRONG: known["strong"]}
    strengths = {word: strength for strength, own in words.items() for word in own}
    strength, article = match_words(tuple(strengths)), match_words(known["articles"])
    named = rf"(?:{strength}|{'|'.join(PROFILES)})\b"
    house = rf"(?:{match_words(known['house'])})\b(?: (?:{match_words(known['players'])}))?"
    none_of, none = match_words(known["none_of"]), rf"{match_words(known['none'])}|0"
    joining, with_ = match_words(known["and_"]), match_words(known["with_"])
    care, manner = match_words(known["caretaker"]), match_words(known["quiet"] | known["gentle"])
    mine = "".join(rf"(?<!{re.escape(word)} )" for word in sorted(known["own"]))
    return BotPatterns(
        strengths=strengths,
        seats=_compile(
            rf"{mine}(?:\b(?P<none>{none_of}) )?(?:\b{_count_pattern()} )?(?:(?:{article}) )?"
            rf"(?:\b(?P<how>{strength}) )?\b{house}(?! (?:{match_words(known['rules'])})\b)"
            rf"(?: ?[:=] ?(?P<off>{none})\b"
            rf"|(?: ?[:=] ?| \(?)(?P<named>{named}(?:(?:, ?| (?:{joining}|&) ){named})*)\)?)?"
        ),
        named=_compile(named),
        before_name=_compile(
            rf"(?:{_count_pattern()} )?(?:(?:{strength}) )?{house}(?: (?:{strength}))?(?= )"
        ),
        advice=_compile(
            rf"\b(?:(?P<none>{none_of}) |(?:{with_}) |)(?:{match_words(known['advice'])})\b"
            rf"(?: ?[:=] ?(?P<off>{none})\b)?"
        ),
        caretaker=_compile(
            rf"\b(?:(?:{article}) )?(?:(?P<how>{manner}) (?:{care})|(?:{care}) ?[:=] ?(?P<said>{manner}))\b"
        ),
        absence=_compile(
            rf"\b(?:{care}) ?[:=] ?"
            rf"(?:(?P<seat>{match_words(known['whole_seat'])})|(?P<turn>{match_words(known['each_turn_late'])})"
            rf"|{match_words(known['substitute'])})\b"
        ),
    )


def _compose_time(known: GameWords) -> TimePatterns:
    lengths = ((1, known["minutes"]), (60, known["hours"]), (24 * 60, known["days"]))
    minutes = {word: length for length, words in lengths for word in words}
    named = {
        Tempo.RELAXED: known["relaxed"],
        Tempo.LIVELY: known["lively"],
        Tempo.LIVE: known["live"],
        Tempo.FAST: known["live_fast"],
    }
    tempos = {word: tempo for tempo, words in named.items() for word in words}
    quick, pace = match_words(tuple(tempos)).replace(r"\-", "[ -]"), match_words(known["pace"])
    return TimePatterns(
        tempos=tempos,
        tempo=_compile(rf"\b(?:(?P<how>{quick}) (?:{pace})|(?:{pace}) ?[:=] ?(?P<said>{quick}))\b"),
        minutes=minutes,
        limit=_compile(rf"(?<![\w.,@-]){_count_pattern()}[ -]?(?P<unit>{match_words(tuple(minutes))})\b"),
    )


def _compile(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


@lru_cache(maxsize=64)
def _edition_pattern(edition: Edition, known: RequestPatterns) -> re.Pattern[str]:
    """Compile a pattern for the names of an edition, and for forms such as "English rules"."""
    rules = match_words(known.words["rules"])
    names = "|".join(
        re.escape(name).replace(r"\ ", "[ -]?")
        for name in sorted(list_edition_words(edition), key=len, reverse=True)
    )
    found = [rf"\b(?:{names})(?: (?:{rules}))?\b"]
    called, codes = known.editions.get(edition.name, NONE), known.edition_codes.get(edition.name, NONE)
    if called:
        behind = match_words(known.words["rules"] | known.words["rules_alone"])
        found.append(rf"\b(?:{match_words(called)}) (?:{behind})\b")
    if called | codes:
        found.append(rf"\b(?:{rules}) ?[:=] ?(?:{match_words(called | codes)})\b")
    return _compile("|".join(found))


def list_edition_words(edition: Edition) -> tuple[str, ...]:
    return (edition.name.replace("-", " ").casefold(), *edition.synonyms)


def is_filler(word: str) -> bool:
    named = (name for edition in EDITIONS.values() for name in list_edition_words(edition))
    return word in patterns().fillers or any(word in name.split() for name in named)


def guess_language_of_lines(lines: Iterable[str]) -> str | None:
    """Guess a language by the words that occur in no other language; None if several are equally likely."""
    words = {word for line in lines for word in WORD.findall(line.casefold())}
    own = patterns().own_words
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
    pattern = patterns().bots.seats
    for found in pattern.finditer(line):
        is_none = found["none"] or found["off"]
        seats = [] if is_none or seats is None else seats
        if not is_none:
            seats += _read_bot_choices(found)
    return seats if seats is None else seats[:MOST_BOT_SEATS], pattern.sub(" , ", line)


def _read_bot_choices(found: re.Match[str]) -> list[str]:
    usual = _bot_choice(found["how"]) if found["how"] else Strength.STEADY.value
    named = [_bot_choice(word) for word in patterns().bots.named.findall(found["named"] or "")]
    if len(named) == 1:
        known = PROFILES.get(named[0])
        usual = named[0] if known is None else known.strength.value
    number = read_count(found["count"] or "1")
    return named + [usual] * min(MOST_BOT_SEATS, number - len(named))


def _bot_choice(word: str) -> str:
    strength = patterns().bots.strengths.get(word.casefold())
    if strength is not None:
        return strength.value
    known = find_bot_choice(word)
    return word if known is None or isinstance(known, Strength) else known.name


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
    if house := patterns().bots.before_name.match(" ".join(words[at:])):
        at += len(house[0].split())
    name = re.sub(r"^[\W\d_]+", "", tidy_name(" ".join(words[at:])))
    capital = any(word[:1].isupper() for word in name.split())
    if not name or len(words) - at > 6 or not (angled or capital or " " not in name):
        return "", ahead
    return name, ahead[:cut] + " ".join(words[:at])


def is_name_word(word: str) -> bool:
    plain = word.strip("\"'“”*_-.()<>[]").casefold()
    if plain in patterns().words["names"] and word[:1].isupper():
        return True
    ends = word.endswith((".", "!", "?")) and len(plain) > 2
    if not plain or plain in PARTICLES:
        return True
    removing = plain in patterns().words["removing"]
    return not removing and not is_filler(plain) and not ends


BEGINS_ANEW = re.compile(r"\W|[^\W\d_]+(?: [^\W\d_]+){0,3} ?[:=]|\S+@")
SHORTEST_WRAPPED = 55


def read_note(line: str) -> str | None:
    """Return a line's note to the guests; empty if the line withdraws the note; None for other lines."""
    found = patterns().guest_note.match(line)
    if found is None:
        return None
    words = tidy_note(found["words"]).strip('"“”')
    return "" if words == "-" or words.casefold() in patterns().words["none"] else words


def join_wrapped_notes(lines: Iterable[str]) -> list[str]:
    found: list[str] = []
    last = 0
    for line in lines:
        wrapped = bool(found) and patterns().guest_note.match(found[-1]) and last >= SHORTEST_WRAPPED
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
    subject = clean_name(patterns().reply_prefix.sub("", subject), LONGEST_NAME)
    nothing = patterns().words["no_subject"]
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
        rest = self._read_settings(self._read_people(line))
        self.has_content = self.has_content or rest != line
        own = WORD.findall(self.old.organiser.name.casefold())
        if all(word in own or is_filler(word) for word in WORD.findall(rest.casefold())):
            return
        self.unread.append(line)
        about_game = patterns().game_setting.search(line)  # not "I am away for 5 days"
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
        line = patterns().list_number.sub("", line.replace("mailto:", ""))
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
            if removed and removed[0].casefold() in patterns().words["removing"]:
                self.without.append((address.lower(), line))
                others = others[: others.rindex(removed[0])]
            else:
                self.note_person(name, address)
            rest += f"{others} , "
        return rest + line[at:]

    def _read_settings(self, rest: str) -> str:
        line, known, request = rest, patterns(), self.request
        if found := known.game_name.search(rest):
            name = tidy_name(found["name"] or found["quoted"] or found["called"])
            request = replace(request, name=name or request.name)
            rest = _cut_out(rest, found)
        if found := known.bots.advice.search(rest):
            request = replace(request, advice=not (found["none"] or found["off"]))
            rest = _cut_out(rest, found)
        if found := known.bots.absence.search(rest):
            each = AbsenceRule.ALWAYS if found["turn"] else AbsenceRule.TURN
            request = replace(request, absence=AbsenceRule.SEAT if found["seat"] else each)
            rest = _cut_out(rest, found)
        if found := known.bots.caretaker.search(rest):
            how = (found["how"] or found["said"]).casefold()
            caretaker = Caretaker.QUIET if how in known.words["quiet"] else Caretaker.GENTLE
            request = replace(request, caretaker=caretaker)
            rest = _cut_out(rest, found)
        if (found := known.removal.search(rest)) and not known.bots.seats.fullmatch(found[0].strip()):
            self.without.append((tidy_name(found["name"]).casefold(), line))
            rest = _cut_out(rest, found)
        if found := known.own_name.search(rest):
            words = list(takewhile(is_name_word, found["name"].split()))
            if words and words[0][:1].isupper():
                self.own_name = tidy_name(" ".join(words))
                rest = f"{rest[: found.start()]} , {rest[found.start('name') + len(' '.join(words)) :]}"
        for edition in reversed(EDITIONS.values()):
            if found := _edition_pattern(edition, known).search(rest):
                request = replace(request, edition=edition.name)
                rest = _cut_out(rest, found)
        if found := known.language.search(rest):
            called = (found["code"] or found["language"]).casefold()
            request = replace(request, language=known.languages[called])
            rest = _cut_out(rest, found)
        self.request = request
        rest = self._read_pace(rest)
        seats, rest = read_bot_seats(rest)
        if seats is not None:
            self.houses = [*(self.houses or ()), *seats][:MOST_BOT_SEATS] if seats else []
        return rest

    def _read_pace(self, rest: str) -> str:
        known = patterns().time
        if found := known.tempo.search(rest):
            word = (found["how"] or found["said"]).casefold().replace(" ", "-")
            time, is_nearest = TURN_TIMES[known.tempos[word]], False
        elif found := known.limit.search(rest):
            minutes = read_count(found["count"]) * known.minutes[found["unit"].casefold()]
            if not minutes:
                return rest
            ratio = {one: max(one.minutes / minutes, minutes / one.minutes) for one in TURN_TIMES.values()}
            time = min(ratio, key=ratio.__getitem__)
            is_nearest = time.minutes != minutes
        else:
            return rest
        self.request = replace(self.request, time=time, is_nearest_pace=is_nearest)
        return _cut_out(rest, found)

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
