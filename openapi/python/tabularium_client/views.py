"""Follow the board from version to version: `GET /v1/games/{game}/frames` returns one whole scene, then the changes."""

from collections.abc import Mapping
from typing import Any, Final

_WHOLE: Final = ("links", "standings", "shelves", "battle", "round", "heading")


def apply(scene: Mapping[str, Any], frame: Mapping[str, Any]) -> dict[str, Any]:
    """Return the scene after a frame. Raises `ValueError` unless the frame is of the next version."""
    if frame["version"] != scene["version"] + 1:
        raise ValueError(f"version {frame['version']} does not follow version {scene['version']}")
    changed = {name: frame[name] for name in _WHOLE if name in frame}
    areas = {**scene["areas"], **frame.get("areas", {})}
    return {**scene, **changed, "version": frame["version"], "areas": areas}
