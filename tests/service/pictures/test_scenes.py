"""Drawing: frames add up to scenes, everything has a glyph, and what is written is escaped."""

import math
import re
from functools import cache
from importlib import resources
from itertools import chain, product
from typing import Any
from xml.etree import ElementTree

import msgspec
import pytest
from msgspec import UNSET

from domain.boards.drawing import Outline
from domain.kernel.ids import AreaId, Seat
from domain.kernel.log.fold import fold
from domain.kernel.log.game import Game
from domain.kernel.log.record import Record
from domain.kernel.rules.marks import Mark, Marks, Place, Stack, Standing
from domain.kernel.rules.message import Names
from domain.library import LIBRARY
from service.bots.bot import GREEDY
from service.bots.simulation import Plan as Played
from service.bots.simulation import Simulation
from service.games.views import Viewer
from service.pictures.bare import bare_board
from service.pictures.contrast import contrast
from service.pictures.frames import Camera
from service.pictures.palette import Look, painted, paints
from service.pictures.picture import Sheet, picture
from service.pictures.piles import NAMED, Layout, fragment
from service.pictures.png import converted
from service.pictures.scenes import marks_of, sheet_of
from service.pictures.svg import width
from service.pictures.tokens import Owner, plate
from service.pictures.views import FrameView, Scene

SVG = "{http://www.w3.org/2000/svg}"
PLAYED = [
    Played("conquest-classic-friz", 6, seed=3, rounds=4),
    Played("conquest-classic-2005", 3, seed=1, rounds=3),
    Played("mare-nostrum", 5, seed=4, rounds=4, level=GREEDY),
]
PLAYED += [
    Played(ruleset, LIBRARY.current(ruleset).players[-1], seed=1, rounds=3, level=GREEDY)
    for ruleset in LIBRARY.ids()
    if ruleset not in {plan.ruleset for plan in PLAYED}
]


@cache
def simulated(ruleset: str) -> Simulation:
    simulation = Simulation(next(plan for plan in PLAYED if plan.ruleset == ruleset))
    for _ in simulation.play():
        pass
    return simulation


def at(simulation: Simulation, records: list[Record]) -> Game:
    return fold(records, simulation.game.id, LIBRARY, lambda _: simulation.game.board)


def put_together(key: Scene, frames: list[FrameView]) -> Scene:
    """Return the scene that a key and frames add up to, as the page does it."""
    for frame in frames:
        changed: dict[str, Any] = {"version": frame.version, "areas": {**key.areas, **frame.areas}}
        for name in ("links", "standings", "shelves", "battle", "round", "heading"):
            if getattr(frame, name) is not UNSET:
                changed[name] = getattr(frame, name)
        key = msgspec.structs.replace(key, **changed)
    return key


@pytest.mark.parametrize("plan", PLAYED, ids=lambda plan: plan.ruleset)
def test_frames_add_up_to_the_scene_of_every_version(plan: Played) -> None:
    simulation = simulated(plan.ruleset)
    records, viewer, vault = simulation.records, Viewer(seat=next(iter(simulation.game.players))), simulation.vault
    sheet = sheet_of(simulation.game)
    names = simulation.game.names
    camera = Camera(sheet, viewer, vault, names, None)
    key, frames = camera.scene(0), list[FrameView]()
    for version in range(1, len(records) + 1):
        game = at(simulation, records[:version])
        frames.append(camera.frame(records[version - 1], game))
        if version % 40 == 0 or version == len(records):
            assert put_together(key, frames) == Camera(sheet, viewer, vault, names, game).scene(version)


@pytest.mark.parametrize("plan", PLAYED, ids=lambda plan: plan.ruleset)
def test_a_picture_refers_to_nothing_that_is_not_in_it(plan: Played) -> None:
    simulation = simulated(plan.ruleset)
    game = simulation.game
    sheet = sheet_of(game)
    marks = marks_of(game, Viewer(everything=True), simulation.vault, sheet.names)
    root = ElementTree.fromstring(picture(sheet, marks, game.heading))
    ids = {each.get("id") for each in root.iter() if each.get("id")}
    for each in root.iter(f"{SVG}use"):
        assert each.get("href", "").removeprefix("#") in ids
    for pattern in re.findall(r"url\(#([^)]*)\)", ElementTree.tostring(root, encoding="unicode")):
        assert pattern in ids
    assert {f"area-{area.id}" for area in game.board.areas} <= ids
    assert not any("style" in each.attrib or each.tag == f"{SVG}style" for each in root.iter())


@pytest.mark.parametrize("plan", PLAYED, ids=lambda plan: plan.ruleset)
def test_the_bare_board_has_a_glyph_for_every_kind_of_mark(plan: Played) -> None:
    simulation = simulated(plan.ruleset)
    sheet = sheet_of(simulation.game)
    drawn = bare_board(sheet.drawing, sheet.paints, sheet.look.glyphs, sheet.title)
    for version in range(10, len(simulation.records), 25):
        game = at(simulation, simulation.records[:version])
        marks = marks_of(game, Viewer(everything=True), simulation.vault, sheet.names)
        kinds = {
            mark.kind
            for mark in chain(
                *(chain(place.sites, *(stack.marks for stack in place.stacks)) for place in marks.places.values()),
                *(standing.items for standing in marks.standings),
                *(shelf.items for shelf in marks.shelves),
                *sheet.plan.printed.values(),
            )
        }
        assert [kind for kind in kinds if f'id="glyph-{kind}"' not in drawn] == []


@pytest.mark.parametrize("name", LIBRARY.ids())
def test_the_bare_board_has_a_glyph_for_what_a_ruleset_s_ids_look_like(name: str) -> None:
    ruleset = LIBRARY.current(name)
    ours = resources.files("service.pictures").joinpath("glyphs.svg").read_text()
    kinds = {kind for kind in ruleset.kinds.values() if kind}
    assert [kind for kind in kinds if f'id="glyph-{kind}"' not in ours + ruleset.glyphs] == []
    # Each side of a die is a number, or looks like something.
    assert {side for die in ruleset.dice.values() for side in die if not side.isdecimal()} <= {*ruleset.kinds}


def test_face_down_cards_are_shown_to_their_owner_only() -> None:
    simulation = simulated("mare-nostrum")
    names = simulation.game.names
    number = next(record.version for record in simulation.records if record.type == "offer-made")
    game = at(simulation, simulation.records[:number])
    seat = Seat(msgspec.json.decode(simulation.records[number - 1].event)["seat"])

    def offered(viewer: Seat | None) -> list[str]:
        standings = marks_of(game, Viewer(seat=viewer), simulation.vault, names).standings
        items = next(standing.items for standing in standings if standing.seat == seat)
        return [mark.words for mark in items if "face down" in mark.words]

    other = next(each for each in game.players if each != seat)
    assert offered(None) == offered(other)
    assert ":" not in offered(None)[0]
    assert ":" in offered(seat)[0]


def sheet(outline: Outline, name: str = "Rome") -> Sheet:
    plan = Layout(
        msgspec.structs.replace(sheet_of(simulated(PLAYED[0].ruleset).game).drawing, areas={AreaId("rome"): outline}),
        {},
    )
    return Sheet(plan, Look(paints(LIBRARY.current("mare-nostrum")), Names({AreaId("rome"): name}), ""), "A & B")


OUTLINE = Outline("land", "Rome", "M0,0L200,0L200,200Z", (100, 100), (100, 110), 0, 20)


def test_text_in_pictures_is_escaped() -> None:
    stack = Stack(Seat("rome"), (Mark("legion", label="<1>", words="a"),), "<script>alert(1)</script>")
    marks = Marks(
        {AreaId("rome"): Place(stacks=(stack,), battle='"<&>"')},
        standings=(Standing(Seat("ro<me"), {"<b>": 1}, out="<i>"),),
    )
    drawn = picture(sheet(OUTLINE, "Ro<me"), marks, "Round <1>")
    assert "<script" not in drawn
    assert ElementTree.fromstring(drawn).findtext(f"{SVG}title") == "A & B. Round <1>"


def test_a_pile_keeps_clear_of_the_names_and_on_the_board() -> None:
    plan = sheet(OUTLINE).plan
    half = width("Rome", NAMED) / 2
    for wide, tall in ((50, 22), (80, 60), (90, 100)):
        pile = plan.pile(AreaId("rome"), wide, tall)
        assert pile.right <= 100 - half or pile.left >= 100 + half or pile.top >= 106 or pile.bottom <= 94
    corner = msgspec.structs.replace(OUTLINE, anchor=(1599, 1067), label=(50, 50))
    pile = sheet(corner).plan.pile(AreaId("rome"), 60, 40)
    assert (pile.right, pile.bottom) == (1597, 1065)


@pytest.mark.parametrize("plan", PLAYED, ids=lambda plan: plan.ruleset)
def test_however_tall_a_pile_is_no_name_is_hidden(plan: Played) -> None:
    board = sheet_of(simulated(plan.ruleset).game)
    for area, size in product(board.drawing.areas, ((88, 67), (103, 47), (112, 67), (141, 67))):
        pile = board.plan.pile(area, *size)
        for other, name in board.plan.named.items():
            hidden = pile.common(name) / ((name.right - name.left) * (name.bottom - name.top))
            assert hidden < 0.1, f"a pile of {size} in {area} hides {hidden:.0%} of the name of {other}"
    drawn = picture(board, Marks(), "")
    assert drawn.index('id="names"') > drawn.index('id="areas"'), (
        "what is hidden all the same is drawn above the pieces"
    )


HEAP = Marks({AreaId("rome"): Place(stacks=(Stack(Seat("rome"), (Mark("legion", count=3),), "legions"),))})


def test_a_pile_that_has_no_room_where_it_belongs_is_tied_to_its_place() -> None:
    named_aside = msgspec.structs.replace(OUTLINE, label=(300, 300))
    assert 'class="leader"' not in picture(sheet(named_aside), HEAP, "")
    long = msgspec.structs.replace(OUTLINE, text="Rome, the eternal", label=OUTLINE.anchor, angle=45)
    assert 'class="leader"' in picture(sheet(long), HEAP, "")


def test_pieces_are_larger_in_a_small_picture_only_where_there_is_room() -> None:
    alone = msgspec.structs.replace(OUTLINE, label=(300, 300))
    assert "scale(1.5)" in picture(sheet(alone), HEAP, "", 400)
    long = msgspec.structs.replace(OUTLINE, text="Rome, the eternal", label=OUTLINE.anchor, angle=45)
    assert "scale(1.5)" not in picture(sheet(long), HEAP, "", 400)


def lying(*stacks: Stack) -> list[tuple[str, float, float]]:
    """Return what lies in Italia as it is drawn: its words, and its left upper corner."""
    board = sheet_of(simulated(PLAYED[0].ruleset).game)
    drawn = fragment(AreaId("italia"), Place(stacks=stacks), board.plan, board.look)
    found = re.findall(r'<g transform="translate\((\S+) (\S+)\)[^"]*"><title>([^<]*)', drawn)
    return [(words, float(x), float(y)) for x, y, words in found]


def test_pieces_on_a_coast_are_drawn_there() -> None:
    outline = sheet_of(simulated(PLAYED[0].ruleset).game).drawing.areas[AreaId("italia")]
    hull = (Mark("galley"),)
    ships = [Stack(Seat("red"), hull, f"on the {coast}", coast) for coast in ("east", "west", "south")]
    legion = Stack(Seat("red"), (Mark("infantry"),), "ashore")
    drawn = {words: (x, y) for words, x, y in lying(legion, *ships)}
    anchors = {"anchor": outline.anchor, **outline.coasts}

    def nearest(words: str) -> str:
        x, y = drawn[words]
        return min(anchors, key=lambda each: math.dist(anchors[each], (x + 18, y + 11)))

    assert [nearest(words) for words in ("ashore", "on the east", "on the west")] == ["anchor", "east", "west"]
    assert nearest("on the south") == "anchor", "the map has no such coast"
    alone = {words: (x, y) for words, x, y in lying(legion)}
    assert lying(legion, *ships[:2])[0][1:] == alone["ashore"], "what lies on coasts moves nothing ashore"


def test_what_has_owners_says_whose_it_is_by_emblem_and_shares_a_plate() -> None:
    red, blue = (painted(colour, emblem) for colour, emblem in (("#a02020", 0), ("#2020a0", 1)))
    marks = (
        Mark("influence", 2, seat=Seat("red"), words="Red: 2"),
        Mark("influence", seat=Seat("blue"), words="Blue: 1"),
    )
    shared = plate(marks, (Owner(red), Owner(blue)))
    assert re.findall(r'href="#([\w-]+)"', shared.svg) == ["glyph-influence", "emblem-0", "emblem-1"]
    assert re.findall(r"<text[^>]*>([^<]*)<", shared.svg) == ["2", "1"]
    assert "<title>Red: 2, Blue: 1</title>" in shared.svg
    apart = sum(plate((mark,), (Owner(paint),)).width for mark, paint in zip(marks, (red, blue), strict=True))
    assert shared.width < apart


def test_a_piece_shows_its_nation_in_the_colour_of_its_player() -> None:
    stack = Stack(Seat("rome"), (Mark("legion"),), "a legion", nation="gauls")
    city = Mark("city", seat=Seat("rome"), words="a city", nation="gauls")
    place = Place(sites=(city,), stacks=(stack, msgspec.structs.replace(stack, nation="")))
    look = msgspec.structs.replace(sheet(OUTLINE).look, signs={"gauls": "G&"})
    drawn = fragment(AreaId("rome"), place, sheet(OUTLINE).plan, look)
    colour, emblem = look.paints[Seat("rome")].colour, f"emblem-{look.paints[Seat('rome')].emblem}"
    assert (drawn.count(">G&amp;</text>"), drawn.count(emblem)) == (2, 1)
    assert drawn.count(f'fill="{colour}"') == 3
    assert drawn.index("a city") < drawn.index("a legion"), "what stands there comes first"


def test_ink_can_be_read_on_every_colour_and_emblems_tell_seats_apart() -> None:
    for ruleset in map(LIBRARY.current, LIBRARY.ids()):
        looks = paints(ruleset)
        assert len({paint.emblem for paint in looks.values()}) == len(looks)
        for paint in looks.values():
            assert contrast(paint.colour, paint.ink) >= 4.5, paint


def test_a_picture_is_the_same_on_every_machine() -> None:
    svg = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 20"><text y="15">Livia ä</text></svg>'
    drawn = converted(svg, 200)
    assert drawn.startswith(b"\x89PNG\r\n\x1a\n")
    assert (int.from_bytes(drawn[16:20]), int.from_bytes(drawn[20:24])) == (200, 40)
    assert drawn != converted(svg.replace("Livia ä", ""), 200), "the font that ships with us was found"
