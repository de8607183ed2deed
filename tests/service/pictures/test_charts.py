"""Charts: what they say in words, and that nobody has to tell colours apart."""

import itertools
import re
from xml.etree import ElementTree

import pytest

from domain.kernel.rules.marks import Figure
from service.pictures import charts
from service.pictures.charts import Bar, Curve, Die, Part, Tower
from service.pictures.contrast import READABLE, contrast, legible
from service.pictures.palette import SPARE

SVG = "{http://www.w3.org/2000/svg}"
SEATS = ("Red", "Blue", "Green", "Yellow", "Purple", "Black")


def drawn(svg: str) -> ElementTree.Element:
    """Return a picture that was checked: it is well-formed, has a title and words, no script, and nothing of others."""
    root = ElementTree.fromstring(svg)
    assert root.get("role") == "img"
    assert root.findtext(f"{SVG}title")
    assert root.findtext(f"{SVG}desc")
    assert not list(root.iter(f"{SVG}script"))
    for element in root.iter():
        assert not any(name.startswith("on") for name in element.attrib)
        assert element.get("href", "#").startswith("#")
    assert "url(" not in svg
    return root


def curves(*values: tuple[Figure, ...]) -> list[Curve]:
    colours = SPARE
    return [
        Curve(name, colour, dict(enumerate(had, start=1)))
        for name, colour, had in zip(SEATS, colours, values, strict=False)
    ]


def labels(root: ElementTree.Element) -> dict[str, float]:
    return {
        text.text or "": float(text.get("y", "")) for text in root.iter(f"{SVG}text") if text.get("class") == "name"
    }


def heights_of(curve: ElementTree.Element) -> list[float]:
    """Return how far down each point of a curve lies."""
    return [float(point.split()[1]) for point in curve.get("d", "")[1:].split("L")]


def test_the_words_say_how_all_stand_and_who_is_first():
    root = drawn(charts.lines("Tribute, round by round", curves((10, 25), (30, 40))))
    assert root.findtext(f"{SVG}desc") == "Round 2: Blue 40, Red 25."
    assert "Red, round 1: 10" in {title.text for title in root.iter(f"{SVG}title")}


def test_halves_are_written_as_halves():
    root = drawn(charts.lines("Points", curves((10, 12.5), (30, 0.5))))
    assert root.findtext(f"{SVG}desc") == "Round 2: Red 12½, Blue ½."
    assert "Red, round 2: 12½" in {title.text for title in root.iter(f"{SVG}title")}
    assert list(labels(root)) == ["Red 12½", "Blue ½"]


def test_every_line_has_a_pattern_a_marker_and_a_label_of_its_own():
    root = drawn(charts.lines("Cities", curves(*((3, 3),) * 6)))
    patterns = [line.get("stroke-dasharray", "") for line in root.iter(f"{SVG}path") if line.get("class") == "curve"]
    markers = [marker.get("d") for marker in root.iter(f"{SVG}path") if (marker.get("id") or "").startswith("m")]
    assert len(set(patterns)) == len(set(markers)) == 6
    assert list(labels(root)) == [f"{name} 3" for name in SEATS]


@pytest.mark.parametrize("last", [(0,) * 6, (100,) * 6, (0, 0, 1, 99, 100, 100), (50, 51, 52, 0, 1, 2)])
def test_labels_can_be_read_side_by_side(last: tuple[int, ...]):
    heights = sorted(labels(drawn(charts.lines("Cities", curves(*((5, value) for value in last))))).values())
    assert all(under - over >= charts.LINE - 0.5 for over, under in itertools.pairwise(heights)), heights
    assert heights[0] >= charts.TOP
    assert heights[-1] <= charts.HEIGHT - charts.BOTTOM + 5


@pytest.mark.parametrize("most", [0, 1, 4, 7, 19, 45, 345, 9999, 1_000_000])
def test_the_grid_has_few_lines_and_holds_everything(most: int):
    root = drawn(charts.lines("Talents", curves((0, most))))
    steps = [int(text.text or "") for text in root.iter(f"{SVG}text") if text.get("text-anchor") == "end"]
    assert steps[0] == 0
    assert steps[-1] >= most
    assert 2 <= len(steps) <= 7


def test_a_line_below_zero_stays_in_the_chart():
    root = drawn(charts.lines("Points", curves((0, -15, 30), (0, 5, -2))))
    heights = [float(y) for path in root.iter(f"{SVG}path") if path.get("class") == "curve" for y in heights_of(path)]
    lines = [
        float(path.get("d", "").split()[1].split("H")[0])
        for path in root.iter(f"{SVG}path")
        if path.get("class") == "grid"
    ]
    assert min(lines) <= min(heights) + charts.BESIDE
    assert max(heights) <= max(lines) + charts.BESIDE
    assert "0" in [text.text for text in root.iter(f"{SVG}text")]


def test_a_long_game_is_drawn_with_fewer_markers():
    svg = charts.lines("Tribute", curves(*(tuple(range(400)),) * 6))
    drawn(svg)
    assert len(svg) < 60_000


def test_before_anything_was_counted_the_chart_says_so():
    for svg in (charts.lines("Tribute", []), charts.dice("Dice", [])):
        assert "yet" in (drawn(svg).findtext(f"{SVG}desc") or "")


def test_dice_are_told_with_what_was_expected():
    bars = [Bar("infantry", 21, 20.0), Bar("blank", 9, 10.0)]
    root = drawn(charts.dice("How the dice fell", [Die("battle", bars, "Fair.")]))
    assert root.findtext(f"{SVG}desc") == "infantry 21 times, 20.0 expected; blank 9 times, 10.0 expected; Fair."


def test_names_are_no_markup():
    svg = charts.lines("<b>", [Curve('<script>"&', "#123456", {1: 1})])
    assert drawn(svg).findtext(f"{SVG}title") == "<b>"


@pytest.mark.parametrize("ground", [charts.LIGHT, charts.DARK])
@pytest.mark.parametrize("colour", ["#000000", "#ffffff", "#d8a800", "#222222", "#0000ff", *SPARE])
def test_every_colour_can_be_read_on_both_grounds(colour: str, ground: str):
    assert contrast(legible(colour, ground), ground) >= READABLE


def test_texts_can_be_read_on_both_grounds():
    style = re.sub(r"\s", "", charts.lines("Tribute", curves((1, 2))))
    light, dark = re.findall(r"(?<=[};\{])text\{(?:font:[^;]*;)?fill:(#\w{6})\}", style)
    assert contrast(light, charts.LIGHT) >= READABLE
    assert contrast(dark, charts.DARK) >= READABLE


def tower(name: str, colour: str, *parts: tuple[str, tuple[Figure, ...]]) -> Tower:
    return Tower(name, colour, [Part(part, dict(enumerate(had, start=1))) for part, had in parts])


def spans(root: ElementTree.Element) -> dict[str, tuple[float, float]]:
    """Return how far down the parts of towers reach, by their titles: from the bottom up."""
    found = [each for each in root.iter(f"{SVG}path") if each.findtext(f"{SVG}title")]
    steps = {each.findtext(f"{SVG}title") or "": re.findall(r"[\d.]+", each.get("d", "")) for each in found}
    return {title: (float(numbers[1]), float(numbers[3])) for title, numbers in steps.items()}


def test_nations_are_stacked_in_the_tower_of_their_seat_round_by_round():
    red = tower("Red", SPARE[0], ("Romans", (4, 10)), ("Greeks", (0, 2.5)))
    root = drawn(charts.stacks("Points of the nations", [red, tower("Blue", SPARE[1], ("Huns", (1, 20)))]))
    assert root.findtext(f"{SVG}desc") == "Round 2: Blue 20 (Huns 20); Red 12½ (Romans 10, Greeks 2½)."
    found = spans(root)
    assert [*found] == [
        "Romans (Red), round 1: 4",
        "Romans (Red), round 2: 10",
        "Greeks (Red), round 2: 2½",
        "Huns (Blue), round 1: 1",
        "Huns (Blue), round 2: 20",
    ]
    assert found["Romans (Red), round 2: 10"][1] == found["Greeks (Red), round 2: 2½"][0]
    assert found["Romans (Red), round 1: 4"][0] == found["Romans (Red), round 2: 10"][0]


def test_points_below_none_hang_from_the_line():
    root = drawn(charts.stacks("Points", [tower("Red", SPARE[0], ("Romans", (4,)), ("Greeks", (-2,)))]))
    found = spans(root)
    line, top = found["Romans (Red), round 1: 4"]
    bottom, hung = found["Greeks (Red), round 1: -2"]
    assert hung == line
    assert bottom - line == pytest.approx((line - top) / 2, abs=0.2)


def test_the_names_of_many_nations_have_room_below_each_other():
    parts = [(f"of {at}", (at,)) for at in range(1, 6)]
    many = [tower(name, SPARE[0], *parts) for name in SEATS]
    root = drawn(charts.stacks("Points", many))
    rows = [
        float((each.get("transform") or "").split()[-1].rstrip(")"))
        for each in root.iter(f"{SVG}g")
        if each.get("transform")
    ]
    assert len(rows) == 36
    assert all(below - above >= 18 for above, below in itertools.pairwise(rows))
    assert rows[-1] < float(root.get("height", "0"))


def test_towers_without_rounds_say_so():
    assert drawn(charts.stacks("Points", [])).findtext(f"{SVG}desc") == "Nothing has been counted yet."
