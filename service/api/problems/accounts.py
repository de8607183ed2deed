"""Problems of accounts, of their tokens and passkeys, and of signing in."""

from typing import Final

from service.api.problems.problem import Kind

REGISTRATION_CLOSED: Final = Kind(
    "registration-closed",
    403,
    "Registration is closed",
    "Self-registration is turned off on this service.",
    "Ask an administrator for an account, or use a token of the provider that the service trusts, if there is one.",
    {"detail": "Self-registration is turned off on this service: administrators open accounts."},
)
UNKNOWN_PLAYER: Final = Kind(
    "unknown-player",
    404,
    "There is no such player",
    "No account has this id.",
    "Use an id from registration or from a game.",
    {"detail": "There is no player 'nobody'."},
)
NO_SUCH_TOKEN: Final = Kind(
    "no-such-token",
    404,
    "There is no such token",
    "You have no token with this id. The id is not the token itself: it begins with `t`, and GET /v1/tokens shows it.",
    "GET /v1/tokens lists your tokens. `current` is the one that you send with the request.",
    {"detail": "You have no token 'tgone'."},
)
TOO_MANY_TOKENS: Final = Kind(
    "too-many-tokens",
    409,
    "The account has too many tokens",
    "An account can have 100 valid tokens.",
    "Revoke one that you no longer need. GET /v1/tokens says when each was last used, and DELETE /v1/tokens/{token} "
    "revokes it.",
    {"detail": "The account has 100 tokens and cannot have more."},
)
TOKEN_REPLACED: Final = Kind(
    "token-replaced",
    409,
    "The token was replaced already",
    "You can replace a token once. The value of its replacement was shown then, and cannot be shown again.",
    "Replace the replacement: GET /v1/tokens lists it. If you lost its value, revoke it and create another with "
    "POST /v1/tokens. Both need a token with the scope `account`.",
    {"detail": "Token 'tgk5x2q7ahbk3oxw7' was replaced, and ends at 2026-11-21T18:00:00.000000Z."},
)
ALREADY_SIGNED_IN: Final = Kind(
    "already-signed-in",
    409,
    "The browser is signed in already",
    "A browser has one session. Another must not replace it, because it may be the only way into its account.",
    "Sign out first, with DELETE /v1/session; or send a bearer token to act as another account.",
    {"detail": "This browser is signed in as Livia."},
)
PASSKEY_REFUSED: Final = Kind(
    "passkey-refused",
    403,
    "The passkey was not accepted",
    "No account has this passkey, or it belongs to another account than it says. Or its signature was not accepted: it "
    "must sign a challenge that the service gave for this at most five minutes ago and that nobody has used, on a page "
    "of this service, after it has recognized its owner.",
    "Ask for a new challenge and let the passkey sign that. Or sign in by another way: a recovery code or a token.",
    {"detail": "No account has this passkey."},
)
PASSKEY_KNOWN: Final = Kind(
    "passkey-known",
    409,
    "An account has this passkey already",
    "A passkey belongs to one account.",
    "Let the device make a new passkey for this account.",
    {"detail": "An account has this passkey already."},
)
TOO_MANY_PASSKEYS: Final = Kind(
    "too-many-passkeys",
    409,
    "The account has too many passkeys",
    "An account can have 20 passkeys.",
    "Remove one that you no longer use: DELETE /v1/passkeys/{passkey}.",
    {"detail": "The account has 20 passkeys and cannot have more."},
)
UNKNOWN_PASSKEY: Final = Kind(
    "unknown-passkey",
    404,
    "You have no such passkey",
    "Your account has no passkey with this id, or it was removed.",
    "GET /v1/passkeys lists your passkeys.",
    {"detail": "You have no passkey 'kgone'."},
)
CODE_REFUSED: Final = Kind(
    "code-refused",
    403,
    "The recovery code was not accepted",
    "No account has this recovery code. Each can be used once, and new codes replace all earlier ones.",
    "Use another code of the same list, a passkey or a token.",
    {"detail": "No account has this recovery code."},
)
NO_PROVIDER: Final = Kind(
    "no-provider",
    404,
    "There is no provider to sign in through",
    "The operator of this service has set up no OpenID Connect provider through which people sign in to the pages.",
    "Sign in by another way: POST /v1/session, a passkey or a recovery code.",
    {"detail": "People cannot sign in to this service through OpenID Connect."},
)
SIGN_IN_REFUSED: Final = Kind(
    "sign-in-refused",
    403,
    "Signing in through the provider did not succeed",
    "The provider refused, or the service does not accept its answer. The answer must come from the browser that was "
    "sent to the provider, within ten minutes, and only once. It must prove to this service who the person is. Nothing "
    "was changed.",
    "Begin again with POST /v1/session/provider, in one window. Or sign in by another way.",
    {"detail": "login.example.org did not sign you in: access_denied."},
)
OTHER_ACCOUNT: Final = Kind(
    "other-account",
    409,
    "The person has another account",
    "The person who signed in through the provider has an account already, and this browser is signed in to another. "
    "The service does not replace the session unless you ask for it, because the session may be the only way into its "
    "account.",
    "To change accounts, begin again with `leave`: then the session of this browser ends. Or stay signed in.",
    {"detail": "login.example.org signs you in as Livia. This browser is signed in as Guest 7093."},
)
ALREADY_LINKED: Final = Kind(
    "already-linked",
    409,
    "The provider signs another person in to this account",
    "At most one person can sign in to an account through the provider. Another would get into the account of the "
    "first.",
    "Sign out first to sign in as that person; or remove the link with DELETE /v1/session/provider and begin again.",
    {"detail": "login.example.org signs another person in to Livia."},
)
