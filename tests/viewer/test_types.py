"""The viewer's JavaScript, checked strictly by the compiler of TypeScript, with the types of the published contract."""

import hashlib
import shutil
from pathlib import Path

import pytest

from tests.contract import clients

VIEWER = Path("service/viewer")
CONTRACT = Path("openapi/openapi.json")
TYPES = Path("build/viewer/contract.d.ts")
"""Where `service/viewer/types.d.ts` finds the types of the contract, for editors as well."""


@pytest.fixture(autouse=True)
def types_of_the_contract() -> None:
    """Generate the types where they are not those of the contract as it is."""
    made_of = TYPES.with_name(f"contract-{hashlib.sha256(CONTRACT.read_bytes()).hexdigest()[:16]}.d.ts")
    if not made_of.exists():
        TYPES.parent.mkdir(parents=True, exist_ok=True)
        clients.write_types(CONTRACT, made_of)
    shutil.copy(made_of, TYPES)


def test_the_viewer_is_typed() -> None:
    clients.compile_typescript(VIEWER)
