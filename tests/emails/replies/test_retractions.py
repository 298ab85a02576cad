"""What stands under orders: where it could change them the writer is asked, and kind words leave them be."""

import pytest

from tests.emails.replies.consequences import Outcome, game_letter, outcome


def written(words: str) -> Outcome:
    """What comes of a mail; in its words a bar stands for the end of a line."""
    text = words.strip().replace("|", "\n")
    head = "From: Anna <anna@example.org>\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n"
    return outcome(f"{head}{text}".encode(), "actions", game_letter("actions").text)


@pytest.mark.parametrize(
    "words",
    """
    draw||but first take soldier
    end||PS: take soldier first
    draw||no wait, take soldier
    draw||sorry, take soldier
    draw||or take soldier
    draw||not!
    draw||Just kidding, I need to think first.
    trek||haha nee, grapje
    draw|?
    draw||?
    draw|???
    draw|/|take horse
    draw|--or--|take horse
    draw|---|or|take horse
    draw||(no, just joking)
    draw||not really
    draw||Don't!
    draw||Don\u2019t do this yet
    draw||Oh no, I mean take soldier
    draw||Correction:|take horse
    draw||Or should I take the soldier?
    draw||P.S. please wait with this until Ben has answered.
    draw||this is what I would do if it were legal
    draw||What do you think?
    end||(after drawing)
    end||PS: no wait
    draw||Anna||PS: take soldier first
    draw||Groeten,|Anna||PS neem eerst soldaat
    draw|-- |Anna|PS: take soldier first
    draw||Anna||no wait!
    draw||Anna||no wait, take horse
    draw||Thanks!||no wait
    draw||Thanks, No.
    draw||the soldier please
    trek||wacht
    trek||Wacht even, ik moet nog nadenken
    trek||of neem paard
    trek||toch maar niet
    trek||sorry, verkeerd
    trek||ik wil dit nog niet
    trek||ik wil de soldaat pakken
    trek||oeps
    trek||vergeet het maar
    trek||eerst een soldaat
    trek||tenzij Ben mij aanvalt
    draw||unless Ben attacks
    draw||if possible
    draw||I changed my mind.
    draw||Hm, maybe the horse is better
    draw||forget it
    draw||actually, the other one
    draw||Nice move Ben. No wait, better the horse.
    draw||I'd rather have the horse
    draw||and then I end my turn
    draw||I will occupy harmozia
    draw||please do not execute these orders
    draw||ignore the above
    draw||cancel that
    trek||annuleer dat
    trek||in plaats daarvan neem paard
    trek||liever het paard
    trek||nee, laat maar
    trek||eigenlijk wil ik het paard
    trek||PS: eerst de soldaat
    draw||Sent from my iPhone|PS: no, take horse
    draw||next turn
    draw||wrong game, sorry
    draw||you know what? take horse
    draw||Hi Ben, no hurry. But not this.
    draw||Sorry for this: the horse.
    draw||Ben, nice.||but the horse first
    """.strip().splitlines(),
)
def test_what_could_change_the_orders_makes_them_doubtful(words: str) -> None:
    found = written(words)
    assert (found.reply.doubtful, found.done) == (True, ()), found.reply
    assert found.reply.reason.endswith(".")


@pytest.mark.parametrize(
    "words",
    """
    draw||Nice move, Ben! See you on Friday.
    trek||Leuk gespeeld gisteren
    draw||I hope the weather is better there
    draw||Take care,|Anna
    draw||Well played, Cleo. That wall was not nice!
    draw||What a game. I never saw Egypt so empty, and Cleo so quiet.
    draw||Sorry it took so long!
    trek||Sorry dat het zo lang duurde.
    draw||Can't wait for Friday!
    draw||No hurry.
    trek||Geen haast!
    trek||Tot vrijdag bij de borrel!
    trek||Groetjes,|Anna||Denk aan het milieu voordat u deze mail print, of maak er een knuffel van.
    draw||Have a good weekend!
    trek||Fijn weekend allemaal
    draw||I'm in Rome until Sunday, it's lovely here.
    draw||Not bad, Ben!
    draw||Kind regards,|Anna|Rowing Club||Do not print this. If you are not the addressee, please delete it.
    draw||Happy birthday, Cleo!
    trek||Gefeliciteerd met je verjaardag, Ben!
    draw||This is getting exciting
    trek||Spannend hoor
    draw||I see what you are doing in Persia, Ben...
    draw||PS: see you on Friday
    draw||Anna||PS: happy birthday, Ben
    draw|-- |Anna|PS: see you
    draw||Good luck with the move to your new house!
    draw||It was a long day at work, and the train was late. I hope you had a better one.
    trek||Het was een lange dag, en de trein was te laat. Ik hoop dat die van jullie beter was.
    draw||Cleo, how is the baby?
    trek||Hoe is het met de baby?
    draw||You're going to win this one, I fear.
    trek||Jij gaat winnen, vrees ik.
    draw||🙂
    draw||haha
    draw||Great fun!
    trek||Wat een leuk spel is dit toch
    draw||I love this game.
    draw||The best game we have played so far
    draw||Greetings from sunny Athens
    draw||We are at the beach and the kids are asleep at last.
    """.strip().splitlines(),
)
def test_what_is_kind_leaves_the_orders_alone(words: str) -> None:
    found = written(words)
    assert found.done == ("draw",), found.reply


@pytest.mark.parametrize("words", ["board||no wait, the rules", "help||I do not want to play this", "?||?"])
def test_who_only_asks_to_be_shown_something_is_shown_it(words: str) -> None:
    assert written(words).asked


def test_what_stands_in_the_letter_is_not_his() -> None:
    """His program quotes it without a mark; a correction among it is found all the same."""
    letter = "|".join(line for line in game_letter("actions").text.splitlines() if "---" not in line)
    assert written(f"draw||{letter}").done == ("draw",)
    assert written(f"draw||no, take horse||{letter}").reply.doubtful


def test_the_writer_hears_what_is_in_doubt() -> None:
    assert "but the horse first" in written("draw||Nice, Ben.||but the horse first").reply.reason
    assert "“?”" in written("draw|?").reply.reason
