-- People take away what lets another issuer sign them in.

GRANT DELETE ON tabularium.identities TO tabularium_service;
