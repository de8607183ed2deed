# %% [markdown]
# An auditor's notebook: did the service sign its finished games as they are, and are its dice fair?
#
#     pip install tabularium-client[proof]
#     python audit.py https://service.example [POLICY]
#
# You can run it as a program, or open it as a notebook in editors that know `# %%`. You need no account. Keep the first
# policy that you get, and give it as a file later: a service that lies could show you another key today.

# %%
import math
import sys
from collections import Counter
from pathlib import Path
from typing import Any

from tabularium_client import Client, Problem
from tabularium_client.proof import Verdict, certify, verify

url, *files = sys.argv[1:]
client = Client(url)
policy = Path(files[0]).read_text() if files else client.get("/v1/transparency/key")["policy"]
print(policy)

# %% [markdown]
# ## The games that are over

# %%
games: list[dict[str, Any]] = list(client.items("/v1/games", status="over", limit=100))
print(len(games), "games are over")

# %% [markdown]
# ## Each log is proved, and compared with what the service signed
#
# `verify` draws every die again from the secret that the service committed to before the game.

# %%
rulesets = {each: client.get("/v1/rulesets/{ruleset}", ruleset=each) for each in {each["ruleset"] for each in games}}
verdicts: dict[str, Verdict] = {}
wrong: list[str] = []
for game in games:
    id_ = game["id"]
    verdict = verify(client.text("/v1/games/{game}/export", game=id_), rulesets[game["ruleset"]])
    try:
        certified = certify(client.text("/v1/games/{game}/certificate", game=id_), policy, verdict)
        signed = certified.problem or certified.sentences[-1]
    except Problem as problem:  # For example, the log does not have the newest version yet.
        certified, signed = None, f"No certificate: {problem}"
    if not verdict.ok or (certified is not None and not certified.ok):
        wrong.append(id_)
    verdicts[id_] = verdict
    print(id_, game["ruleset"], verdict.versions, verdict.problem or "is proved.", signed)

# %% [markdown]
# ## Are the dice fair?
#
# For each kind of die: how often each face came up, and the probability that a fair die deviates at least as much
# (chi-square).


# %%
def rolls(verdict: Verdict, ruleset: dict[str, Any]) -> list[tuple[str, list[Any]]]:
    """Return the dice of a game: the kind of each, and the faces that it showed."""
    dice: list[tuple[str, list[Any]]] = []
    for row in verdict.rows:
        for draw in ruleset["chance"].get(row["event"]["type"], []):
            value: Any = row["event"]
            for name in draw["at"]:
                value = value.get(name) if isinstance(value, dict) else None
            if draw["type"] == "dice" and isinstance(value, dict):
                dice.append((draw["die"], value["faces"]))
    return dice


def chance_of(chi: float, freedom: int) -> float:
    """Return the probability that chi-square is at least this large (Wilson and Hilferty)."""
    spread = 2 / (9 * freedom)
    return math.erfc(((chi / freedom) ** (1 / 3) - 1 + spread) / math.sqrt(2 * spread)) / 2


faces: dict[tuple[str, str], Counter[str]] = {}
for game in games:
    for die, shown in rolls(verdicts[game["id"]], rulesets[game["ruleset"]]):
        faces.setdefault((game["ruleset"], die), Counter()).update(map(str, shown))
for (ruleset, die), counted in sorted(faces.items()):
    sides = Counter(map(str, rulesets[ruleset]["dice"][die]))
    fair = {face: counted.total() * number / sides.total() for face, number in sides.items()}
    chi = sum((counted[face] - expected) ** 2 / expected for face, expected in fair.items())
    print(ruleset, die, dict(sorted(counted.items())), f"p = {chance_of(chi, len(fair) - 1):.3f}")

# %% [markdown]
# ## What no client can check
#
# `tabularium verify` knows the rules and checks the rest. `openapi/verification.md` lists what no check can show.

# %%
for sentence in sorted({each for verdict in verdicts.values() for each in verdict.unchecked}):
    print(sentence)
assert not wrong, f"These are not what was signed: {wrong}"
