"""The grid, the board and its file: names, distances, and every reason for which a board is refused."""

import pytest

from engine.board import Board, InvalidBoard, Point, Space, corners, side, sides
from tests.engine.build import alexandros, board


def text(rows: list[str], places: list[list[object]], start: object = "A1", name: object = "Test") -> str:
    def toml(value: object) -> str:
        if isinstance(value, list):
            return f"[{', '.join(map(toml, value))}]"
        return str(value).lower() if isinstance(value, bool) else repr(value).replace("'", '"')

    return f"name = {toml(name)}\nstart = {toml(start)}\nrows = {toml(rows)}\nplaces = {toml(places)}\n"


def refusal(file: str) -> str:
    with pytest.raises(InvalidBoard) as caught:
        Board.read(file)
    sentence = str(caught.value)
    assert len(sentence.splitlines()) == 1, sentence
    return sentence


# --- names ----------------------------------------------------------------------------------------------


def test_points_sides_and_spaces_are_written_as_agreed() -> None:
    assert [str(Point(0, 2)), str(Point(1, 1)), str(Point(3, 3))] == ["A3", "B2", "D4"]
    b2 = Point(1, 1)
    around = [str(side(b2, Point(*other))) for other in ((1, 3), (0, 0), (0, 2), (2, 0), (2, 2))]
    assert around == ["B2-B4", "A1-B2", "A3-B2", "B2-C1", "B2-C3"]
    assert [str(corner) for corner in corners(Space(2, 3))] == ["C3", "C5", "D4"]
    assert str(Space(2, 3)) == "CD4"
    assert str(side(Point(2, 4), Point(2, 2))) == "C3-C5"


def test_a_character_is_the_space_the_board_file_says() -> None:
    land = board("hl", "at", start="A3")
    assert {land.names[space]: [str(p) for p in corners(space)] for space in land.names} == {
        "Ha": ["A1", "A3", "B2"],
        "La": ["A3", "B2", "B4"],
        "Aa": ["B2", "C1", "C3"],
        "Ta": ["B2", "B4", "C3"],
    }


def test_numbers_sort_as_numbers() -> None:
    land = alexandros()
    assert list(land.steps) == sorted(land.steps)
    assert land.point_names["B8"] < land.point_names["B18"] < land.point_names["C3"]
    assert list(land.symbols) == sorted(land.symbols)


def test_the_board_of_the_game() -> None:
    land = alexandros()
    assert (len(land.symbols), len(land.names), len(land.steps), len(land.spaces_on)) == (202, 90, 140, 343)
    assert (str(land.start), land.name) == ("A3", "Alexandros")
    assert land.places["Larissa"] == Space(2, 3)
    assert len(land.steps) - len(land.spaces_on) + len(land.symbols) == -1, "it has two holes"


def test_every_index_says_the_same_as_the_corners() -> None:
    land = alexandros()
    for space in land.symbols:
        assert set(sides(space)) == set(land.sides_around[space])
        for edge in sides(space):
            assert set(land.spaces_on[edge]) == {one for one in land.symbols if edge in sides(one)}
        for corner in corners(space):
            assert space in land.spaces_at[corner]
            assert set(corners(space)) - {corner} <= set(land.steps[corner])


def test_distances_go_both_ways_and_take_no_short_cut() -> None:
    land = alexandros()
    for start in land.steps:
        far = land.distances_from(start)
        assert far[start] == 0
        assert set(far) == set(land.steps)
        for edge in land.spaces_on:
            assert abs(far[edge.first] - far[edge.second]) <= 1
        assert all(land.distances_from(other)[start] == far[other] for other in land.steps)


def test_one_space_is_a_board_and_so_are_25_strips() -> None:
    assert len(board("h").symbols) == 1
    tall = board(*["." * 30] * 25)
    assert str(max(tall.steps)) == "Z32"


def test_strips_and_ends_may_be_blank() -> None:
    land = board("    ", " h..  ", start="B4")
    assert str(land.places["Ha"]) == "BC3"


# --- refusals -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("character", ["x", "T", "\t", "\n", "é", "\u2028", "-", "\u0000"])
def test_an_unknown_character(character: str) -> None:
    file = text(["..", "..CHARACTER"], [[], []]).replace("CHARACTER", f"\\u{ord(character):04x}")
    assert refusal(file).startswith("row 2 has the unknown character")


@pytest.mark.parametrize(
    ("places", "reason"),
    [
        ([["One"], []], "row 1 has 2 symbol spaces and 1 names"),
        ([["One", "Two", "Three"], ["Four"]], "row 1 has 2 symbol spaces and 3 names"),
        ([["One", "Two"], []], "row 2 has 1 symbol spaces and 0 names"),
        ([["One", "Two"]], "places has 1 lists for 2 rows"),
        ([["One", "Two"], ["Three"], []], "places has 3 lists for 2 rows"),
        ([["One", "Two"], ["One"]], "row 2 repeats the name One"),
        ([["One", "Two"], ["oNE"]], "row 2 repeats the name oNE"),
        ([["One", "Two"], [""]], "row 2 has the name ''"),
        ([["One", "Two"], ["New Town"]], "row 2 has the name 'New Town'"),
        ([["One", "Two"], ["A3"]], "row 2 has the name 'A3'"),
        ([["One", "Two"], ["Ténos"]], "row 2 has the name 'T\\xe9nos'"),
        ([["One", 2], ["Three"]], "row 1 has the name 2"),
        ([["One", True], ["Three"]], "row 1 has the name True"),
        ([["One", ["Two"]], ["Three"]], "row 1 has the name ['Two']"),
    ],
)
def test_wrong_places(places: list[list[object]], reason: str) -> None:
    assert refusal(text(["h.l", " .s"], places)).startswith(reason)


@pytest.mark.parametrize("start", ["A2", "a1", "A5", "Z9", "", "A01", 3, True, ["A1"], "A1 "])
def test_a_start_that_is_no_corner_of_a_space(start: object) -> None:
    assert refusal(text([".."], [[]], start=start)).startswith("the start")


@pytest.mark.parametrize(
    ("rows", "row"),
    [
        (["..  .."], 1),
        (["..", "    .."], 2),
        ([". ", ". "], 2),
        (["..", "", ".."], 3),
        (["h.", " ...", ".   ."], 3),
    ],
)
def test_spaces_that_do_not_hang_together_through_sides(rows: list[str], row: int) -> None:
    names: list[list[object]] = [["H"] if "h" in strip else [] for strip in rows]
    assert refusal(text(rows, names)).startswith(f"row {row}: ")


def test_more_strips_than_letters() -> None:
    assert "25" in refusal(text(["..."] * 26, [[]] * 26))


def test_a_board_without_spaces() -> None:
    for rows in ([], [""], ["  ", " "]):
        refusal(text(rows, [[]] * len(rows)))


@pytest.mark.parametrize(
    "file",
    [
        "",
        "name = ",
        "name = 'a'\nname = 'b'",
        'name = "Test"\nstart = "A1"\nrows = "..."\nplaces = []',
        'name = "Test"\nstart = "A1"\nrows = [3]\nplaces = [[]]',
        'name = "Test"\nstart = "A1"\nrows = [".."]\nplaces = "none"',
        'name = "Test"\nstart = "A1"\nrows = [".."]\nplaces = ["none"]',
        'name = "Test"\nstart = "A1"\nplaces = [[]]',
        'name = "Test"\nstart = "A1"\nrows = [".."]',
        'name = "Test"\nrows = [".."]\nplaces = [[]]',
        'name = ""\nstart = "A1"\nrows = [".."]\nplaces = [[]]',
        'name = 3\nstart = "A1"\nrows = [".."]\nplaces = [[]]',
        "{}",
        "\x00",
        'rows = ["..\n"]',
        "number = " + "1" * 5000,
        "deep = " + "[" * 5000 + "]" * 5000,
        "when = 2024-13-45",
        "a.b = 1\n[a]\nb = 2",
    ],
)
def test_a_file_that_is_no_board(file: str) -> None:
    refusal(file)
