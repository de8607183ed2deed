"""Examples of the endpoints for accounts, sessions and sign-in."""

from typing import Final

import msgspec

from domain.kernel.chance.secret import Vault
from service.accounts.caller import Caller
from service.accounts.names import pseudonym
from service.accounts.passkeys import ALGORITHMS, handle_of
from service.api.accounts.bodies import LoggedEvent
from service.api.games.bodies import GamePage
from service.api.games.views import game_summary
from service.api.log.bodies import StreamedLogged
from service.api.players.bodies import (
    NewPasskey,
    NewPasskeyChallenge,
    NewProviderSignIn,
    PasskeyChallenge,
    PasskeyPage,
    PasskeyProof,
    PasskeyView,
    PlayerPage,
    ProviderAddress,
    ProviderView,
    RecoveryCode,
    RecoveryCodes,
    RecoveryCodesLeft,
    Registered,
    Registration,
    SessionView,
    StreamedWaiting,
    Waiting,
    player_view,
)
from service.api.players.routes import me
from service.api.scene import AT, FIRST, GAME, Example, Scene
from service.games.views import Viewer, event_view
from service.store.accounts import PasskeyId, PlayerRow, TokenId

_PROVIDER: Final = ProviderView("Example Login", linked=False)


def examples(scene: Scene) -> dict[str, Example]:
    owner = scene.players[0]
    granted = frozenset(owner.scopes)
    caller = Caller(owner.player, granted, granted, FIRST, b"")
    record = scene.given.records[0]
    logged = LoggedEvent(GAME, event_view(scene.ruleset.id, record, Vault(), Viewer()))
    browser = msgspec.structs.replace(caller, token=TokenId("s6c2k5m8q3r7t4vwax"))
    signed_in = SessionView(me(owner, browser), lasting=True, provider=_PROVIDER)
    return {
        "showSession": Example(signed_in),
        "openSession": Example(signed_in, {"name": owner.name}),
        "endSession": Example(SessionView(None, lasting=False, provider=_PROVIDER)),
        **_passkeys(owner, signed_in),
        **_provider(signed_in),
        "registerPlayer": Example(
            Registered(player_view(owner), "tab_0yH8xk2bq5mQf7w9s1u3d5r7t9v1x3z5A7C9E1G3I5K"), Registration(owner.name)
        ),
        "showMe": Example(me(owner, caller)),
        "changeMe": Example(
            me(msgspec.structs.replace(owner, findable=True), caller), {"name": owner.name, "findable": True}
        ),
        "closeMe": Example(player_view(msgspec.structs.replace(owner, name=pseudonym(owner.player)))),
        "becomeBot": Example(me(msgspec.structs.replace(owner, automated=True), caller)),
        "findPlayers": Example(PlayerPage((player_view(owner),), None)),
        "listMyGames": Example(GamePage((game_summary(scene.row(scene.now), scene.accounts, None),), None)),
        "streamMyEvents": Example(StreamedLogged("1208", msgspec.json.encode(logged).decode(), logged.event.type)),
        "streamWaiting": Example(StreamedWaiting("1208", msgspec.json.encode(_waiting(scene)).decode(), "waiting")),
        "showPlayer": Example(player_view(owner)),
    }


def _waiting(scene: Scene) -> Waiting:
    game, decision = scene.now, scene.now.decisions[0]
    return Waiting(
        game.id, scene.row(game).title, game.ruleset.id, game.version, decision.seats[0], (decision,), (), ()
    )


def _provider(session: SessionView) -> dict[str, Example]:
    state, code = "1JYqYq4YkqNDkPzu7Xb2kTnQZ3xYJt0s8nWmVb5cE4g", "SplxlOBeZQQYbYS6WxSbIA"
    address = (
        "https://login.example.org/authorize?response_type=code&client_id=tabularium"
        f"&redirect_uri=https%3A%2F%2Ftabularium.example%2Fsign-in&scope=openid+profile&state={state}"
        "&nonce=n0S6WzA2Mj8kqLr5tVb3xYc7uQe9oPw1iHd4fGj6zKs"
        "&code_challenge=E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM&code_challenge_method=S256"
    )
    return {
        "beginAtProvider": Example(ProviderAddress(address), NewProviderSignIn()),
        "signInByProvider": Example(session, {"state": state, "code": code}),
        "unlinkProvider": Example(_PROVIDER),
    }


def _passkeys(owner: PlayerRow, session: SessionView) -> dict[str, Example]:
    challenge, host = "pLr0lJ6fGkqUO3n5QmYxj1M7v9Tz2Bw8cXyD4sEaHhI", "tabularium.example"
    passkey = PasskeyView(PasskeyId("k5n2q8w4x7c3v6m9tp"), "my phone", AT, None)
    client, credential = "eyJ0eXBlIjoid2ViYXV0aG4uY3JlYXRlIn0", "rB1kz0XnQ5u8mYw2"
    challenge_view = NewPasskeyChallenge(challenge, host, handle_of(owner.player), owner.name, ALGORITHMS, ())
    proof = PasskeyProof(credential, client, "SZYN5YgOjGh0NBcPZHZgW4", "MEUCIQDx3nV6", handle_of(owner.player))
    return {
        "askForPasskey": Example(challenge_view),
        "addPasskey": Example(passkey, NewPasskey("my phone", credential, client, "o2NmbXRkbm9uZQ")),
        "listPasskeys": Example(PasskeyPage((passkey,), None)),
        "removePasskey": Example(passkey),
        "askToSignIn": Example(PasskeyChallenge(challenge, host)),
        "signInByPasskey": Example(session, proof),
        "makeRecoveryCodes": Example(RecoveryCodes(("k4xq-2m7a-hbk3-oxw7", "q7zk-3v5m-2c4n-xwab"))),
        "countRecoveryCodes": Example(RecoveryCodesLeft(9)),
        "signInByCode": Example(session, RecoveryCode("k4xq-2m7a-hbk3-oxw7")),
    }
