"""Pictures as PNG, the same on every machine: with a font of our own and none of the system's.

The converter keeps Python's lock while it works, half a second for a large picture: in a thread it would delay all
other requests. So it runs in a process of its own, whose program is this module.
"""

import asyncio
import sys
from pathlib import Path
from typing import Final

SECONDS: Final = 30
"""The time after which a conversion is given up."""

_FONTS: Final = [str(Path(__file__).with_name("fonts") / name) for name in ("DejaVuSans.ttf", "DejaVuSans-Bold.ttf")]


class NotConverted(Exception):
    """The converter failed, or took too long."""


async def png(svg: bytes, width: int) -> bytes:
    """Return an SVG of ours as a PNG with the width in pixels. Raises `NotConverted`."""
    converter = await asyncio.create_subprocess_exec(
        *(sys.executable, "-I", __file__, str(width)),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        async with asyncio.timeout(SECONDS):
            image, stderr = await converter.communicate(svg)
    except TimeoutError:
        raise NotConverted(f"a picture was not converted in {SECONDS} s") from None
    finally:
        if converter.returncode is None:
            converter.kill()
    if converter.returncode:
        raise NotConverted(
            stderr.decode(errors="replace").strip() or f"the converter ended with {converter.returncode}"
        )
    return image


def converted(svg: str, width: int) -> bytes:
    """Convert an SVG of ours to PNG in this process."""
    import resvg_py

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


if __name__ == "__main__":
    sys.stdout.buffer.write(converted(sys.stdin.buffer.read().decode(), int(sys.argv[1])))
