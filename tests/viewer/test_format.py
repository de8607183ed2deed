"""Figures as a reader sees them."""

from tests.viewer.logic import evaluate


def test_halves_are_written_as_halves() -> None:
    written = """async (figures) => {
        const { scored } = await import("/viewer/parts/format.js");
        return figures.map(scored);
    }"""
    assert evaluate(written, [12, 12.5, 0.5, 0, -0.5, -3.5]) == ["12", "12½", "½", "0", "-½", "-3½"]


def test_one_thing_is_not_several() -> None:
    written = """async ([number, ...nouns]) => {
        const { amount } = await import("/viewer/parts/format.js");
        return nouns.map((noun) => amount(number, noun));
    }"""
    plurals = ["generals", "galleys", "cities", "fortresses", "taxes", "infantry", "cavalry", "talents", "papyrus"]
    ones = ["general", "galley", "city", "fortress", "tax", "infantry", "cavalry", "talent", "papyrus"]
    # Some rulesets name their fields and pieces for one, others for several.
    for nouns in (plurals, ones):
        assert evaluate(written, [1, *nouns]) == [f"1 {one}" for one in ones]
        assert evaluate(written, [2, *nouns]) == [f"2 {several}" for several in plurals]


def test_a_piece_with_a_name_is_called_by_it() -> None:
    written = """async (words) => {
        const { Labels } = await import("/viewer/forms/labels.js");
        const { amount, field } = new Labels([], words);
        const several = [amount(5, "legion"), amount(3, "number")];
        return [amount(1, "senator-iii"), ...several, amount(1, "amount"), field("amount")];
    }"""
    words = {"senator-iii": "Senator III", "number": "cards", "amount": "talents"}
    assert evaluate(written, words) == ["Senator III", "5 legions", "3 cards", "1 talent", "Talents"]
