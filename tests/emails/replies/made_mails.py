"""Mails made by chance: real orders with kind words, doubts and the words of other games, cut and mixed.

Whoever makes a mail knows what may be played of it: the orders where nothing but kind words stands beside
them, and nothing where a doubt does. The words are this file's own; none is taken from those of the reader.
"""

import random
from dataclasses import dataclass

ORDERS = (
    ("draw",),
    ("take horse",),
    ("occupy Harmozia",),
    ("draw", "take horse"),
    ("take horse", "draw"),
    ("end",),
    ("levy soldier",),
    ("occupy Perinthus+Sestos+Troy",),
)
SPELLINGS = {
    "draw": ("draw", "Draw.", "trek", "trek een kaart", "draw please"),
    "take horse": ("take horse", "Take the horse", "neem paard", "neem het paard, aub"),
    "occupy Harmozia": ("occupy Harmozia", "bezet Harmozia"),
    "end": ("end", "klaar"),
    "levy soldier": ("levy soldier", "hef belasting met soldaat"),
    "occupy Perinthus+Sestos+Troy": ("occupy Perinthus+Sestos+Troy",),
}
DOUBTS = """
    not this one; don't do it; no, no; never mind that; nothing of this; wrong game; my chess game: Nf3;
    our Catan game; the Scrabble game; poker tonight: fold; only if Ben agrees; unless Cleo objects;
    provided that; maybe tomorrow; perhaps; I am not sure; I might; I would rather; wait for me; hold
    on; stop it; hang on a second; before that; what do you think; should I; is this allowed; could I;
    instead of this; on second thought; changed my mind; oops; by mistake; just kidding; only a joke;
    this is a test; just testing; a draft; please ignore; cancel it; undo it; forget this; take it back;
    the other card; the temple first; another horse; corner C3; to Larissa; two of them; much later on; next
    turn; let me think; I'll decide; ask me again; depends on Ben; if possible; as an example; niet
    doen; nee wacht; nog niet; toch maar niet; geen zin; liever het paard; misschien; als Ben dat wil;
    tenzij; verkeerde spel; ons andere potje; bij het schaken: Pf3; grapje; foutje; oeps; even wachten;
    zal ik; mag dat; wat denk je; eerst de soldaat; naar Troy; ik twijfel; vergeet het maar; negeer dit;
    laat maar; dit is een test; later pas; volgende beurt; klopt dit; nein; warte noch; lieber nicht;
    falsches Spiel; non merci; attends; plutôt pas; un moment; no espera; mejor no; era broma; non
    ancora; aspetta; nie teraz; czekaj; não agora; espera; talvez; vielleicht; peut-être; quizás; forse;
    może
"""
KIND = """
    What a lovely day it is; We had cake and coffee; The weather is beautiful here; My sister has a new
    dog; Nice move, Ben; Have a nice weekend; The kids are in bed; It rained all day; I was at the beach
    with my family; Wat een mooie dag; We hebben taart gegeten; Het weer is prachtig; Mijn zus heeft een
    nieuwe hond; Mooie zet, Ben; Fijn weekend allemaal; De kinderen liggen in bed; Het regende de hele
    dag; Greetings from the garden; Groetjes uit de tuin; See you on Friday; Tot vrijdag; Thanks for the
    game; Bedankt voor het spel
"""
PLACES = ("above", "line", "below", "blank", "name", "mark", "after")


@dataclass(frozen=True, slots=True)
class MadeMail:
    """A mail and what may come of it."""

    text: str
    orders: tuple[str, ...]
    doubted: bool
    """Whether nothing of it may be played."""

    @property
    def raw(self) -> bytes:
        """The mail as it comes in."""
        head = "From: Anna <anna@example.org>\r\nContent-Type: text/plain; charset=utf-8"
        return f"{head}\r\n\r\n{self.text}".encode()


def make_mail(dice: random.Random) -> MadeMail:
    """A mail by chance."""
    orders = dice.choice(ORDERS)
    lines = [dice.choice(SPELLINGS[order]) for order in orders]
    doubted = dice.random() < 0.8
    pieces = [_doubt(dice)] if doubted else []
    while dice.random() < 0.4:
        pieces.insert(dice.randrange(len(pieces) + 1), _kind(dice))
    for piece in pieces:
        _place(lines, piece, dice)
    return MadeMail("\n".join(lines), orders, doubted)


def _pick(text: str, dice: random.Random) -> list[str]:
    return dice.choice([piece.strip() for piece in text.split(";")]).split()


def _kind(dice: random.Random) -> str:
    return " ".join(_pick(KIND, dice)) + dice.choice(("", ".", "!", " :-)"))


def _doubt(dice: random.Random) -> str:
    """A doubt, alone or within kind words that are cut."""
    core = _pick(DOUBTS, dice)
    if dice.random() < 0.5:
        around = _pick(KIND, dice)
        around = [word for word in around if dice.random() < 0.6]
        at = dice.randrange(len(around) + 1)
        core = [*around[:at], *core, *around[at:]]
    words = " ".join(core)
    words = dice.choice((str, str.lower, str.capitalize, str.upper))(words)
    return words + dice.choice(("", ".", "!", "?", "...", " (?)", " :-)", ", haha"))


def _place(lines: list[str], piece: str, dice: random.Random) -> None:
    match dice.choice(PLACES):
        case "above":
            lines.insert(0, piece)
        case "line":
            at = dice.randrange(len(lines))
            lines[at] += dice.choice((" ", ", ", ". ", " - ", "; ", " (", "! ")) + piece
        case "below":
            lines.append(piece)
        case "blank":
            lines += ["", piece]
        case "name":
            lines += ["", "Anna", "", piece]
        case "mark":
            lines += ["-- ", piece]
        case "after":
            lines.insert(dice.randrange(len(lines) + 1), piece)
