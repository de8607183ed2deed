"""The final standings of a tournament from its export alone, by the texts of TAB-TRN-20 and TAB-TRN-21.

    python -m tests.championship.standings EXPORT.jsonl

It was written from the rules, and uses nothing of the service or of `domain`: what both say is right is right twice.
"""

import json
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

Event = dict[str, Any]


class Seat:
    """What a player has of a table or a bye: the place, counted from 0, with how many it is shared, and the points."""

    def __init__(self, points: Fraction, table: Sequence[str] = (), place: int = 0, shared: int = 1) -> None:
        self.points = points
        self.table = table
        self.place = place
        self.shared = shared


class Book:
    """All that an export says, as a secretary would write it down."""

    def __init__(self, lines: Iterable[bytes]) -> None:
        self.regulations: Event = {}
        self.players: list[str] = []
        self.rounds: dict[int, Event] = {}
        self.penalties: list[Event] = []
        self.closed: list[list[str]] | None = None
        for line in map(json.loads, lines):
            if "event" in line:
                self._write(line["event"])
        self.played = [each for _, each in sorted(self.rounds.items()) if each["tables"] is not None]
        self.earned = {player: [self._of_round(player, each) for each in self.played] for player in self.players}

    def _write(self, event: Event) -> None:
        match event["type"]:
            case "tournament-announced" | "regulations-changed":
                self.regulations = event["regulations"]
            case "player-entered" if event["player"] not in self.players:
                self.players.append(event["player"])
            case "lots-drawn":
                self.rounds[event["round"]] = {"lots": event["present"], "tables": None, "byes": []}
            case "round-published":
                drawn = event["drawn"]["tables"]
                tables = [{"players": list(table), "for": {}, "result": None} for table in drawn]
                self.rounds[event["round"]] |= {"tables": tables, "byes": list(event["drawn"]["byes"])}
            case "round-cancelled":
                self.rounds[event["round"]]["tables"] = None
            case "substitute-seated":
                self._substitute(self._table(event), self.rounds[event["round"]]["byes"], event["player"], event["to"])
            case "result-taken" | "result-overruled":
                self._table(event)["result"] = event
            case "penalty-given":
                self.penalties.append(event)
            case "tournament-closed":
                self.closed = event["order"]
            case _:
                pass

    def _table(self, event: Event) -> Event:
        return self.rounds[event["round"]]["tables"][event["table"] - 1]

    def _substitute(self, table: Event, byes: list[str], player: str, to: str) -> None:
        """Seat a substitute, who gets what the seat earns in place of a bye, or the other way round (TAB-TRN-13)."""
        table["players"][table["players"].index(player)] = to
        if self.regulations.get("points_of_substitutes") == "replaced":
            table["for"][to] = table["for"].get(player, player)
        elif to in byes:
            byes.remove(to)

    # --- points (TAB-TRN-20) ---

    def _of_round(self, player: str, played: Event) -> Seat | None:
        if player in played["byes"]:
            return Seat(Fraction(self.regulations.get("bye", 0)))
        for table in played["tables"]:
            earners = [table["for"].get(each, each) for each in table["players"]]
            if player in earners and table["result"] is not None:
                groups = [[table["for"].get(each, each) for each in group] for group in self._scored(table["result"])]
                return self._at_table(player, earners, groups)
        return None

    def _scored(self, result: Event) -> list[list[str]]:
        how, left = result.get("how"), result.get("left", [])
        everybody = [player for group in result["order"] for player in group]
        if how == "abandoned" or (how == "agreed" and self.regulations.get("agreed") == "tied"):
            return [everybody]
        groups = [[player for player in group if player not in left] for group in result["order"]]
        return [group for group in [*groups, [player for player in everybody if player in left]] if group]

    def _at_table(self, player: str, table: Sequence[str], groups: list[list[str]]) -> Seat:
        points = next(each for each in self.regulations["points"] if len(each) == len(table))
        before = 0
        for group in groups:
            if player in group:
                shared = Fraction(sum(points[before : before + len(group)]), len(group))
                return Seat(shared, table, before, len(group))
            before += len(group)
        raise ValueError(f"{player} is missing in a result of {table}")

    def stage(self, place: int) -> int:
        """Return the stage of the round that was published as the first (0), the second …"""
        stages = [number for number, each in enumerate(self.regulations["stages"]) for _ in range(each["rounds"])]
        return stages[place]

    def points(self, player: str) -> Fraction:
        """Return the points of a player: of heats, only the best; less what penalties took."""
        of_stage: dict[int, list[Fraction]] = {}
        for place, seat in enumerate(self.earned[player]):
            if seat is not None:
                of_stage.setdefault(self.stage(place), []).append(seat.points)
        total = Fraction(-sum(each["points"] for each in self.penalties if each["player"] == player))
        for number, points in of_stage.items():
            best = self.regulations["stages"][number].get("best", len(points))
            total += sum(sorted(points, reverse=True)[:best], Fraction(0))
        return total

    # --- who stands above whom (TAB-TRN-21) ---

    def reached(self, player: str) -> list[Fraction]:
        """Return how far a player came by the stages that take only some on, the last stage first."""
        found: list[Fraction] = []
        for number, stage in reversed([*enumerate(self.regulations["stages"])]):
            own = [seat for place, seat in enumerate(self.earned[player]) if self.stage(place) == number]
            sat = [seat for seat in own if seat is not None]
            if stage["type"] == "knock-out":
                found.append(Fraction(len(sat)))
            elif stage["type"] == "final-table":
                found += [Fraction(len(sat)), Fraction(-sat[0].place if sat else 0)]
        return found

    def standings(self) -> list[list[str]]:
        """Return all players, the first first, those who tie to the end together."""
        points = {player: self.points(player) for player in self.players}
        order = divided([self.players], lambda player, _: self.reached(player))
        order = divided(order, lambda player, _: [points[player]])
        for name in self.regulations.get("tie_breaks", DEFAULT):
            order = divided(order, lambda player, tied, name=name: self.tie_break(name, player, tied, points))
        return order

    def tie_break(self, name: str, player: str, tied: Sequence[str], points: dict[str, Fraction]) -> list[Fraction]:
        seats = [seat for seat in self.earned[player] if seat is not None and seat.table]
        match name:
            case "wins":
                return [Fraction(sum(seat.place == 0 and seat.shared == 1 for seat in seats))]
            case "places":
                places = Counter(seat.place for seat in seats)
                return [Fraction(places[place]) for place in range(max(self.regulations["sizes"]))]
            case "meetings":
                met = [seat.points for seat in seats if any(each in tied for each in seat.table if each != player)]
                return [sum(met, Fraction(0))]
            case "opponents":
                met = [points[each] for seat in seats for each in seat.table if each != player]
                met += [points[player]] * sum(seat is not None and not seat.table for seat in self.earned[player])
                return [sum(met, Fraction(0)) / max(1, len(met))]
            case "penalties":
                # A caution is words alone.
                given = [each for each in self.penalties if each["player"] == player and each["sort"] != "caution"]
                return [Fraction(-len(given))]
            case "lot":
                lots = self.played[-1]["lots"] if self.played else []
                return [Fraction(-lots.index(player) if player in lots else -len(lots))]
            case _:
                raise ValueError(f"there is no tie-break {name}")


DEFAULT = ("wins", "places", "meetings", "opponents", "penalties", "lot")


def divided(order: list[list[str]], counted: Callable[[str, Sequence[str]], list[Fraction]]) -> list[list[str]]:
    """Return groups of players who tied so far, each divided by what counts next, the greatest first."""
    found: list[list[str]] = []
    for tied in order:
        values = {player: counted(player, tied) for player in tied}
        found += [
            [player for player in tied if tuple(values[player]) == value]
            for value in sorted({tuple(each) for each in values.values()}, reverse=True)
        ]
    return found


def main() -> None:
    book = Book(Path(sys.argv[1]).read_bytes().splitlines())
    for place, tied in enumerate(book.standings(), start=1):
        print(place, *(f"{player} {book.points(player)}" for player in tied), sep="\t")
    if book.closed is not None and [sorted(tied) for tied in book.standings()] != [
        sorted(tied) for tied in book.closed
    ]:
        sys.exit("The tournament was closed with another order.")


if __name__ == "__main__":
    main()
