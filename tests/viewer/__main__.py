"""Format the viewer as its style says: ``python -m tests.viewer``."""

from tests.viewer.test_style import biome

if __name__ == "__main__":
    print(biome("check", "--write"))
