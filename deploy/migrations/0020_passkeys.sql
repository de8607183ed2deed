-- Ways back into an account: passkeys (WebAuthn) and recovery codes.

CREATE TABLE tabularium.passkeys (
    number     bigint GENERATED ALWAYS AS IDENTITY,
    passkey    text   PRIMARY KEY COLLATE "C",
    player     text   NOT NULL COLLATE "C" REFERENCES tabularium.players,
    credential bytea  NOT NULL UNIQUE,
    public_key bytea  NOT NULL,
    -- How often it signed, where it counts; a copy of it counts too little.
    signs      bigint NOT NULL,
    name       text   NOT NULL,
    created    text   NOT NULL COLLATE "C",
    used       text   COLLATE "C"
);
CREATE INDEX passkeys_by_player ON tabularium.passkeys (player, number);

-- What a passkey is asked to sign, once and soon. Kept as SHA-256.
CREATE TABLE tabularium.challenges (
    number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    hash   bytea  NOT NULL UNIQUE,
    -- Who registers a passkey with it; null to sign in.
    player text   COLLATE "C",
    ends   text   NOT NULL COLLATE "C"
);

-- Each good once, kept as SHA-256.
CREATE TABLE tabularium.recovery_codes (
    hash    bytea PRIMARY KEY,
    player  text  NOT NULL COLLATE "C" REFERENCES tabularium.players,
    created text  NOT NULL COLLATE "C"
);
CREATE INDEX recovery_codes_by_player ON tabularium.recovery_codes (player);

GRANT SELECT, INSERT, DELETE ON tabularium.passkeys, tabularium.challenges, tabularium.recovery_codes
    TO tabularium_service;
GRANT UPDATE (signs, used) ON tabularium.passkeys TO tabularium_service;
