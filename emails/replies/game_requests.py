"""A mail asks for a game: who is to play, and how. It is read liberally, in every language that is known.

What is read is said back before anybody is invited, and so is each line of which something was not
understood. Only its writer's own lines are read, down to a farewell. Nothing here raises, and every size is
capped.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import takewhile

from emails.languages.lexicon import whole_lexicon
from emails.languages.supported_languages import ENGLISH
from emails.letters.lobby_letters import (
    LONGEST_NAME,
    GameRequest,
    Guest,
    is_address,
    name_from_address,
    tidy_address,
)
from emails.links import is_inbox_address
from emails.names import holds_link
from emails.picture.palette import clean_name
from emails.replies import bodies, quotations, request_words, wrapped_notes
from emails.replies.grammars import build_proposal_grammar
from emails.replies.mail import Mail
from emails.replies.person_names import is_name_word, split_name, tidy_name
from emails.replies.remarks.classification import begins_with_yes
from emails.replies.remarks.small_talk import is_farewell
from emails.replies.reply_reader import read_reply
from emails.replies.request_words import WORD
from emails.terms import TURN_TIMES, AbsenceRule, Caretaker, TurnTime
from engine.editions import EDITIONS

MOST_LINES, LONGEST_LINE = 60, 300
MOST_GUESTS = 12
"""People who are noted at all; a game has fewer."""
MOST_UNREAD = 8


# --- a mail ---------------------------------------------------------------------------------------------


def find_sender(mail: Mail) -> Guest | None:
    """Whom the header From names, where it names one person with an address that can be answered."""
    author = mail.headers.author
    if not is_address(tidy_address(author)):
        return None
    name, address = next(one for one in mail.headers.people("from") if one[1].lower() == author)
    address = tidy_address(address)
    return Guest(tidy_name(name) or name_from_address(address), address)


def accepts_proposal(mail: Mail, sent: str | None) -> bool:
    """Whether a mail says yes to the letter it answers, of which `sent` is the text, if it is known."""
    return read_reply(mail, build_proposal_grammar(whole_lexicon()), sent).says_yes


def leans_towards_yes(mail: Mail) -> bool:
    """Whether a line of a mail begins as one that says yes, so that its writer waits for an answer."""
    known = whole_lexicon()
    lines = _own_lines(mail)[:MOST_LINES]
    return any(build_proposal_grammar(known).says_yes(line) or begins_with_yes(line, known) for line in lines)


def guess_language(mail: Mail) -> str | None:
    """The language of a mail by its own words; None where they do not tell."""
    return request_words.guess_language((*_own_lines(mail), mail.headers.first("subject")))


def read_game_request(
    mail: Mail, organiser: Guest, domain: str, before: GameRequest | None = None, usual: str = ENGLISH
) -> GameRequest:
    """What a mail asks for, by its lines, its subject, and whom it went to beside us; never raises.

    `domain`: ours. `before`: what its writer asked for in the mail before; what they do not mention stays.
    `usual`: their language where their words do not tell.
    """
    lines = wrapped_notes.join_wrapped_notes(_own_lines(mail))
    heard = _GameRequestBuilder(organiser, domain, before)
    people = frozenset(WORD.findall(organiser.name.casefold()))
    for line in lines[:MOST_LINES]:
        if heard.has_content and is_farewell(line, people):
            break
        heard.read_line(line)
    if len(lines) > MOST_LINES:
        heard.unread.append(bodies.CUT_MARK)
    for name, address in mail.headers.people("to", "cc")[:MOST_GUESTS]:
        if not is_inbox_address(address, domain):
            heard.note_person(tidy_name(name), address)
    subject = "" if before else mail.headers.first("subject")
    return heard.build(_title_from_subject(subject), request_words.guess_language((*lines, subject)) or usual)


def _own_lines(mail: Mail) -> Sequence[str]:
    """What the writer themselves wrote: above what they quote, else below it."""
    if mail.body.strange:
        return ()
    above, quoted = quotations.split_at_quotation(mail.text.lines)
    return [line[:LONGEST_LINE] for line in above if line] or [
        line[:LONGEST_LINE] for line in quotations.split_below(quoted)[0] if line
    ]


def _title_from_subject(subject: str) -> str:
    """The name that a subject gives a game; empty where it only says that there is to be one."""
    subject = clean_name(request_words.patterns().reply_prefix.sub("", subject), LONGEST_NAME)
    nothing = request_words.patterns().words.no_subject
    words = WORD.findall(subject.casefold())
    if holds_link(subject) or all(word in nothing or request_words.is_filler(word) for word in words):
        return ""
    return subject


# --- its lines ------------------------------------------------------------------------------------------


@dataclass(slots=True)
class _GameRequestBuilder:
    """What has been read so far."""

    organiser: Guest
    domain: str
    before: GameRequest | None
    guests: dict[str, Guest] = field(default_factory=dict)
    """By their addresses in small letters."""
    houses: list[str] | None = None
    advice: bool | None = None
    caretaker: Caretaker | None = None
    absence: AbsenceRule | None = None
    name: str = ""
    edition: str = ""
    time: TurnTime | None = None
    is_nearest: bool = False
    """Whether that is the pace nearest to what they said."""
    language: str = ""
    own_name: str = ""
    note: str | None = None
    without: list[tuple[str, str]] = field(default_factory=list)
    """Names or addresses in small letters, and the lines they stand in."""
    unread: list[str] = field(default_factory=list)
    unreachable: list[str] = field(default_factory=list)

    @property
    def has_content(self) -> bool:
        """Whether anything was read that counts."""
        told = (
            self.houses is not None,
            self.time is not None,
            self.name,
            self.edition,
            self.language,
        )
        terms = (
            self.advice is not None,
            self.caretaker is not None,
            self.absence is not None,
            self.note is not None,
        )
        return any((*told, *terms, self.own_name, self.guests, self.without, self.unreachable))

    def _can_invite(self, address: str) -> bool:
        """Whether an address can be invited; a domain without a dot must be the writer's own."""
        domain, own = (one.rpartition("@")[2].lower() for one in (address, self.organiser.address))
        return (
            is_address(address)
            and not is_inbox_address(address, self.domain)
            and ("." in domain or domain == own)
        )

    def read_line(self, line: str) -> None:
        """Read one line."""
        if build_proposal_grammar(whole_lexicon()).says_yes(line):
            return
        if (note := wrapped_notes.read_note(line)) is not None:
            self.note = note
            return
        settled = self.name, self.own_name, self.time, self.language, self.edition, self.is_nearest
        rest = self._read_settings(self._read_people(line))
        own = WORD.findall(self.organiser.name.casefold())
        if all(word in own or request_words.is_filler(word) for word in WORD.findall(rest.casefold())):
            return
        self.unread.append(line)
        about_game = request_words.patterns().game_setting.search(line)  # "I am away for 5 days" is not
        if self.before is not None and not about_game:
            self.name, self.own_name, self.time, self.language, self.edition, self.is_nearest = settled
        elif self.is_nearest and not about_game:
            self.time, self.is_nearest = settled[2], settled[5]

    def note_person(self, name: str, address: str) -> None:
        """Note a person; who writes about themselves says their name."""
        address = tidy_address(address)
        key = address.lower()
        if not self._can_invite(address):
            self.unreachable.append(address)
        elif key == self.organiser.address.lower():
            self.own_name = self.own_name or name
        elif key in self.guests and (not name or self.guests[key].name != name_from_address(address)):
            return
        elif key in self.guests or len(self.guests) < MOST_GUESTS:
            self.guests[key] = Guest(name or self._earlier_name(key) or name_from_address(address), address)

    def _earlier_name(self, key: str) -> str:
        guests = self.before.guests if self.before else ()
        return next((guest.name for guest in guests if guest.address.lower() == key), "")

    def _read_people(self, line: str) -> str:
        """The line without the people in it who have addresses."""
        line = re.sub(r'"([^"]{1,80})"(?=\s*<)', lambda found: found[1].replace(",", " "), line)
        line = request_words.patterns().list_number.sub("", line.replace("mailto:", ""))
        rest, at = "", 0
        for found in request_words.TOKEN.finditer(line):
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
            if removed and removed[0].casefold() in request_words.patterns().words.removing:
                self.without.append((address.lower(), line))
                others = others[: others.rindex(removed[0])]
            else:
                self.note_person(name, address)
            rest += f"{others} , "
        return rest + line[at:]

    def _read_settings(self, rest: str) -> str:
        """The line without what it says of the game itself."""
        line, known = rest, request_words.patterns()
        if found := known.game_name.search(rest):
            self.name = tidy_name(found["name"] or found["quoted"] or found["called"]) or self.name
            rest = _cut_out(rest, found)
        if found := known.house.advice.search(rest):
            self.advice = not (found["none"] or found["off"])
            rest = _cut_out(rest, found)
        if found := known.house.absence.search(rest):
            each = AbsenceRule.ALWAYS if found["turn"] else AbsenceRule.TURN
            self.absence = AbsenceRule.SEAT if found["seat"] else each
            rest = _cut_out(rest, found)
        if found := known.house.caretaker.search(rest):
            how = (found["how"] or found["said"]).casefold()
            self.caretaker = Caretaker.QUIET if how in known.words.quiet else Caretaker.GENTLE
            rest = _cut_out(rest, found)
        if (found := known.removal.search(rest)) and not known.house.seats.fullmatch(found[0].strip()):
            self.without.append((tidy_name(found["name"]).casefold(), line))
            rest = _cut_out(rest, found)
        if found := known.own_name.search(rest):
            words = list(takewhile(is_name_word, found["name"].split()))
            if words and words[0][:1].isupper():
                self.own_name = tidy_name(" ".join(words))
                rest = f"{rest[: found.start()]} , {rest[found.start('name') + len(' '.join(words)) :]}"
        for edition in reversed(EDITIONS.values()):
            if found := request_words.edition_pattern(edition).search(rest):
                self.edition = edition.name
                rest = _cut_out(rest, found)
        if found := known.language.search(rest):
            self.language = known.languages[(found["code"] or found["language"]).casefold()]
            rest = _cut_out(rest, found)
        rest = self._read_pace(rest)
        seats, rest = request_words.read_house_seats(rest)
        if seats is not None:
            self.houses = [*(self.houses or ()), *seats][: request_words.MOST_BOT_SEATS] if seats else []
        return rest

    def _read_pace(self, rest: str) -> str:
        """The line without the pace that it names, by a word or by a time for a turn that may be near one."""
        time = request_words.patterns().time
        if found := time.tempo.search(rest):
            word = (found["how"] or found["said"]).casefold().replace(" ", "-")
            self.time, self.is_nearest = TURN_TIMES[time.tempos[word]], False
            return _cut_out(rest, found)
        found = time.limit.search(rest)
        minutes = 0 if found is None else _read_minutes(found)
        if found is None or not minutes:
            return rest
        self.time = min(
            TURN_TIMES.values(), key=lambda one: max(one.minutes / minutes, minutes / one.minutes)
        )
        self.is_nearest = self.time.minutes != minutes
        return _cut_out(rest, found)

    def build(self, title: str, language: str) -> GameRequest:
        """All of it, and what was asked for before where nothing else is said."""
        old = self.before or GameRequest(self.organiser, name=title, language=language)
        guests = {guest.address.lower(): guest for guest in old.guests}
        for key, guest in self.guests.items():
            same = [one for one, other in guests.items() if other.name.casefold() == guest.name.casefold()]
            if same and self.before and key not in guests:
                del guests[same[0]]  # their address was mistaken
            guests[key] = guest
        for name, line in self.without:
            gone = [key for key, guest in guests.items() if name in (key, guest.name.casefold())]
            for key in gone:
                del guests[key]
            if not gone:
                self.unread.append(line)
        return replace(
            old,
            organiser=replace(old.organiser, name=self.own_name or old.organiser.name),
            guests=tuple(guests.values())[:MOST_GUESTS],
            houses=old.houses if self.houses is None else tuple(self.houses),
            advice=old.advice if self.advice is None else self.advice,
            caretaker=old.caretaker if self.caretaker is None else self.caretaker,
            absence=old.absence if self.absence is None else self.absence,
            name=self.name or old.name,
            edition=self.edition or old.edition,
            time=self.time or old.time,
            is_nearest_pace=old.is_nearest_pace if self.time is None else self.is_nearest,
            language=self.language or old.language,
            note=old.note if self.note is None else self.note,
            unread=tuple(dict.fromkeys(self.unread))[:MOST_UNREAD],
            unreachable=tuple(dict.fromkeys(self.unreachable))[:MOST_UNREAD],
        )


def _read_minutes(found: re.Match[str]) -> int:
    unit = request_words.patterns().time.minutes[found["unit"].casefold()]
    return request_words.read_count(found["count"]) * unit


def _cut_out(line: str, found: re.Match[str]) -> str:
    return f"{line[: found.start()]} , {line[found.end() :]}"
