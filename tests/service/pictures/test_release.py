"""What draws pictures has a digest: another one as soon as anything of it is otherwise."""

from pathlib import Path

from service.pictures.release import digest, drawn_by


def release(folder: Path, glyphs: str = "<symbol/>", name: str = "glyphs.svg") -> list[Path]:
    (folder / "pictures").mkdir(parents=True)
    (folder / "pictures" / name).write_text(glyphs)
    (folder / "pictures" / "bare.py").write_text("LAND = 1")
    (folder / "marks.py").write_text("")
    return [folder / "pictures", folder / "marks.py"]


def test_the_same_release_has_the_same_digest_wherever_it_is(tmp_path: Path) -> None:
    here, there = release(tmp_path / "here"), release(tmp_path / "there")
    (there[0] / "__pycache__").mkdir()
    (there[0] / "__pycache__" / "bare.pyc").write_bytes(b"compiled")
    assert digest(here, "1") == digest(there, "1")
    assert drawn_by() == drawn_by()


def test_whatever_is_otherwise_makes_another_digest(tmp_path: Path) -> None:
    places = release(tmp_path / "first")
    others = [
        digest(places, "2"),
        digest(places[:1], "1"),
        digest(release(tmp_path / "drawn", glyphs="<symbol />"), "1"),
        digest(release(tmp_path / "named", name="signs.svg"), "1"),
    ]
    assert len({digest(places, "1"), *others}) == 5
