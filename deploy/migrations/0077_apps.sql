-- Apps of other people's that sign somebody in (OAuth 2.1): who registered one, who let one in, and what it holds.

-- Registered apps, which prove by a secret who they are. Other apps are kept nowhere.
CREATE TABLE tabularium.apps (
    client      text  PRIMARY KEY COLLATE "C",
    player      text  NOT NULL COLLATE "C" REFERENCES tabularium.players,
    name        text  NOT NULL,
    redirects   text  NOT NULL,
    created     text  NOT NULL COLLATE "C",
    -- SHA-256 of its secret, which follows from the nonce and an idempotency key where one came.
    hash        bytea NOT NULL,
    key         text  UNIQUE COLLATE "C",
    fingerprint bytea NOT NULL,
    nonce       bytea NOT NULL
);
CREATE INDEX apps_by_player ON tabularium.apps (player, created);

-- What an account has let an app do, at one site.
CREATE TABLE tabularium.app_consents (
    app    text PRIMARY KEY COLLATE "C",
    player text NOT NULL COLLATE "C" REFERENCES tabularium.players,
    client text NOT NULL COLLATE "C",
    site   text NOT NULL COLLATE "C",
    name   text NOT NULL,
    scopes text NOT NULL,
    given  text NOT NULL COLLATE "C",
    -- When a refresh token of it came a second time, and ended a sign-in.
    reused text COLLATE "C",
    UNIQUE (player, client, site)
);

-- Codes that an app exchanges for tokens: of a browser (no user code), or of a device. Kept until they have ended.
CREATE TABLE tabularium.app_codes (
    hash      bytea   PRIMARY KEY,
    user_code text    UNIQUE COLLATE "C",
    client    text    NOT NULL COLLATE "C",
    site      text    NOT NULL COLLATE "C",
    name      text    NOT NULL,
    redirect  text    NOT NULL,
    challenge text    NOT NULL,
    scopes    text    NOT NULL,
    ends      text    NOT NULL COLLATE "C",
    -- Empty until somebody has decided.
    player    text    NOT NULL COLLATE "C",
    allowed   boolean NOT NULL,
    -- Of a device: the seconds between two polls, and when the last came.
    pause     integer NOT NULL,
    polled    text    NOT NULL COLLATE "C",
    -- The sign-in that it gave; empty until it was used.
    token     text    NOT NULL COLLATE "C"
);
CREATE INDEX app_codes_by_end ON tabularium.app_codes (ends);

-- An app that is signed in. What all its refresh tokens begin with is the token's hash; the rest of the newest is here.
CREATE TABLE tabularium.app_sign_ins (
    token   text  PRIMARY KEY COLLATE "C" REFERENCES tabularium.tokens (token),
    client  text  NOT NULL COLLATE "C",
    site    text  NOT NULL COLLATE "C",
    refresh bytea NOT NULL
);
CREATE INDEX app_sign_ins_by_client ON tabularium.app_sign_ins (client);

-- The newest access tokens of each.
CREATE TABLE tabularium.app_access (
    hash   bytea PRIMARY KEY,
    token  text  NOT NULL COLLATE "C" REFERENCES tabularium.tokens (token),
    scopes text  NOT NULL,
    ends   text  NOT NULL COLLATE "C"
);
CREATE INDEX app_access_by_token ON tabularium.app_access (token);

GRANT SELECT, INSERT, UPDATE, DELETE
    ON tabularium.apps, tabularium.app_consents, tabularium.app_codes, tabularium.app_sign_ins, tabularium.app_access
    TO tabularium_service;
-- A sign-in lasts until it was not refreshed for a while.
GRANT UPDATE (expires) ON tabularium.tokens TO tabularium_service;
