"""What people write when they give no order is none, in either language, whatever numbers mean."""

import pytest

from engine.actions import Unreadable
from tests.engine.build import alexandros
from tests.spoken import parse

LAND = alexandros()
NUMBERS = {str(number): name for number, name in enumerate(("C5", "C3", "D4", "draw", "occupy Memphis"), 1)}
EVERYDAY = """
    go on
    Go on!
    go away
    go to sleep
    go home, please
    let's go
    I had to go
    I must go now
    Take care
    take care!
    Take it easy
    take your time
    take a break
    take that!
    take part
    take two
    Move along
    move on
    stay safe
    stay home
    stay tuned
    Play fair!
    play well
    play ball
    pass the salt
    Pass it on
    pass auf dich auf
    draw near
    draw a line
    draw your own conclusions
    end of story
    End of message
    end of the week
    The end
    the end.
    The end!
    Stop!
    stop it
    stop that, please
    Done!
    well done
    all done?
    done deal
    done for today
    march on
    March weather
    14 March 2027
    3 March
    March 14, 2027
    Mar 3
    in March
    are you there?
    ready?
    end?
    draw?
    really?
    see you
    See you soon
    see you tomorrow, Ben
    ok
    OK!
    okay
    k
    K.
    kk
    fine
    Fine by me
    thanks
    Thanks!
    thank you very much
    Cheers, Anna
    best
    Best regards
    Kind regards,
    Regards
    yours
    a
    A
    I
    l.
    L
    L.
    T.
    M.
    P
    W
    J. Brown
    R. Troy
    M. Larissa
    Dr. Smith
    Anna
    Ben
    Cleo
    Dirk
    Marc
    Lev
    Phil
    Alex
    Hi Anna
    Hello all
    Hey!
    Dear Ben,
    hi
    ha
    Ha!
    haha
    ho
    Ho ho ho
    hm
    hmm
    so
    So what
    so?
    he
    me
    to
    too late
    do
    Do not worry
    Don't go
    do not draw
    not now
    no
    No!
    no. 7
    nope
    yes
    Yes please
    maybe
    please
    please wait
    what a game
    nice move
    nice move!
    good move, Ben
    bad luck
    good luck
    Good game
    well played
    your turn
    my turn
    it is your turn
    I would take the lyre
    I will march to Larissa
    you should draw
    shall I draw
    we go
    if I draw
    if lyre then march
    draw unless Ben takes it
    do not take lyre
    draw not
    never mind
    sorry
    Sorry, too late
    one moment
    wait
    wait for me
    last one
    horse?
    my kingdom for a horse
    hold your horses
    soldiers march
    choose wisely
    choose your side
    lie
    water
    temporary
    sold
    sold!
    or
    and
    and then
    then
    next
    next!
    next week
    plus
    Re: Alexandros: Spring
    Re: draw
    RE: lyre
    Fwd: your turn
    Subject: draw
    AW: Alexandros
    Sent from my phone
    Sent from my iPhone
    On Thu, Anna wrote:
    On 14 Jan 2027, at 18:00, Anna wrote:
    > draw
    > choose lyre
    * draw
    • draw
    - draw
    | draw
    [1] draw
    (draw)
    “draw”
    "draw
    1. draw
    1) choose lyre
    2 draw
    3, draw
    1 2 3
    1, 2
    1 or 2
    1/2
    1-2
    3-4-2027
    3/4
    3.5
    18:00
    1:2
    06 12345678
    06-12345678
    +31 6 12345678
    (020) 123 45 67
    tel. 3
    12345678
    0
    007
    3rd
    3 times
    3 cards
    2 actions
    3 points
    3%
    $3
    -3
    +3
    room 3
    not 3
    no 3
    3?
    :-)
    ;-)
    :)
    👍
    --
    ___
    ...
    ?
    !
    http://example.org
    www.example.org
    anna@example.org
    Kerkstraat 3
    1234 AB Utrecht
    Ga zo door
    ga zo door!
    ga weg
    ga maar
    ga jij maar
    ga je mee
    ik ga
    ik moet gaan
    Pas op
    pas op!
    pas morgen
    pas goed op jezelf
    het past
    Stop ermee
    stop daarmee
    stop maar
    klaar is Kees
    Klaar!
    klaar?
    Ik ben klaar
    kant en klaar
    Einde verhaal
    einde oefening
    het einde
    Einde!
    eind goed, al goed
    trek het je niet aan
    trek een jas aan
    trek in pizza
    geen trek
    neem de tijd
    Neem rust
    neem wat
    neem je tijd
    neem mij niet kwalijk
    haal adem
    haal bier
    pak me dan
    pak maar
    pak an
    hef het glas
    hef ze
    kies maar
    kies partij
    kies wat
    blijf af
    blijf zitten
    blijf thuis
    Blij!
    blij
    speel mee
    speel vals
    speel wat
    bezet
    terug?
    terug naar af
    terug van weggeweest
    ik ben terug
    verover de wereld
    paard?
    over en sluiten
    over
    voor wie?
    nee
    Nee!
    nee, dank je
    neen
    ne
    ja
    Ja hoor
    jawel
    wat
    Wat?
    water bij de wijn
    stad
    te laat
    te
    ter info
    ver weg
    ver
    di
    ma
    do.
    di 3
    ma 3
    sta op
    sta
    tak
    niet doen
    niet trekken
    trek niet
    als het kan
    als je trekt
    tenzij
    alsjeblieft
    aub
    graag
    bedankt
    Bedankt!
    dank je wel
    dank
    groetjes
    Groeten, Anna
    mvg
    Met vriendelijke groet
    tot straks
    tot ziens
    doei
    hoi
    Hoi Ben
    Ha Ben
    dag
    Dag allemaal
    hallo
    goed gedaan
    mooie zet
    mooi
    leuk
    lekker
    jammer
    jouw beurt
    mijn beurt
    ik speel niet
    eet smakelijk
    een
    één
    de
    het
    of
    en
    en dan
    dan
    dan pas
    daarna
    kom op
    oei
    tja
    nou
    nu
    nog een
    14 maart 2027
    maart
    om 3 uur
    3 uur
    kamer 3
    nr
    hoek
    Verzonden vanaf mijn telefoon
    Verstuurd vanaf mijn iPhone
    Op do 14 jan. 2027 schreef Anna:
    Onderwerp: trek
    Antw: Alexandros
    Doorgestuurd
""".strip().splitlines()


@pytest.mark.parametrize("numbers", [{}, NUMBERS], ids=["no numbers", "numbers"])
def test_an_everyday_line_is_no_order(numbers: dict[str, str]) -> None:
    assert len(EVERYDAY) > 300
    assert not [line for line in EVERYDAY if is_order(line.strip(), numbers)]


def is_order(line: str, numbers: dict[str, str]) -> bool:
    try:
        parse(line, LAND, numbers)
    except Unreadable:
        return False
    return True
