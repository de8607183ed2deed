-- The session or token with which a device was added. It is told no longer than that lives.

ALTER TABLE tabularium.webhooks ADD COLUMN token text NOT NULL DEFAULT '' COLLATE "C";
CREATE INDEX webhooks_by_token ON tabularium.webhooks (token) WHERE token <> '';
