"""Pictures as PNG, the same on every machine: with a font of our own and none of the system's."""

import asyncio
from importlib import resources
from typing import Final

import resvg_py

_FONTS: Final = [
    str(resources.files("service.pictures").joinpath("fonts", name))
    for name in ("DejaVuSans.ttf", "DejaVuSans-Bold.ttf")
]


async def png(svg: str, width: int) -> bytes:
    """Return an SVG of ours as PNG, so many pixels wide; made in a thread."""
    return await asyncio.to_thread(converted, svg, width)


def converted(svg: str, width: int) -> bytes:
    """Return an SVG of ours as PNG."""
    return bytes(
        resvg_py.svg_to_bytes(
            svg_string=svg,
            width=width,
            skip_system_fonts=True,
            font_files=_FONTS,
            font_family="DejaVu Sans",
            sans_serif_family="DejaVu Sans",
        )
    )
