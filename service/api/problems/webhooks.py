"""Problems of webhooks, of devices that get pushes, and of e-mail."""

from typing import Final

from service.api.problems.problem import Kind

UNKNOWN_WEBHOOK: Final = Kind(
    "unknown-webhook",
    404,
    "There is no such webhook",
    "Your account has no webhook with this id.",
    "GET /v1/webhooks lists your webhooks.",
    {"detail": "You have no webhook 'wgone'."},
)
UNKNOWN_DELIVERY: Final = Kind(
    "unknown-delivery",
    404,
    "There is no such delivery",
    "Nothing with this id was sent to the webhook, or it was forgotten. Deliveries are kept for 30 days.",
    "GET /v1/webhooks/{webhook}/deliveries lists them.",
    {"detail": "Webhook wq7m3x5c2v8n4b6k1z has no delivery 'dgone'."},
)
TOO_MANY_WEBHOOKS: Final = Kind(
    "too-many-webhooks",
    409,
    "The account has too many webhooks",
    "An account can have ten webhooks.",
    "Delete one that you no longer need with DELETE /v1/webhooks/{webhook}, or change it with PUT.",
    {"detail": "The account has 10 webhooks and cannot have more."},
)
BAD_TARGET: Final = Kind(
    "bad-target",
    422,
    "Nothing is sent to this address",
    "The service sends only to addresses of the public internet, by HTTPS on port 443. If a host name has an address "
    "that is not public, the service sends nothing there, and each attempt counts as unanswered.",
    "Send an address such as https://example.org/hooks/7.",
    {"detail": "The address names port 8080.", "allowed": "Requests go to port 443: leave the port out."},
)
WEBHOOKS_OFF: Final = Kind(
    "webhooks-off",
    409,
    "This service sends no webhooks",
    "Its operators have not given it the key that encrypts the secrets of webhooks, or the key cannot be used.",
    "Ask the operators. Until then, follow a stream, such as GET /v1/players/me/waiting/stream.",
    {"detail": "This service sends no webhooks."},
)
MAIL_OFF: Final = Kind(
    "mail-off",
    409,
    "This service sends no e-mail",
    "Its operators have named no mail server, or not given it the key that encrypts addresses.",
    "Ask the operators. Until then, get pushes on a device: POST /v1/notifications/push.",
    {"detail": "This service sends no e-mail."},
)
TOO_MANY_CONFIRMATIONS: Final = Kind(
    "too-many-confirmations",
    409,
    "Enough e-mails asked for confirmation today",
    "In a day, the service sends at most three e-mails that ask for confirmation for an account, and three to an "
    "address.",
    "Look for the e-mails that were sent, also among spam. Or try again tomorrow (UTC).",
    {"detail": "3 e-mails were sent today to confirm an address."},
)
UNKNOWN_DEVICE: Final = Kind(
    "unknown-device",
    404,
    "There is no such device",
    "Your account has no device with this id that gets pushes.",
    "GET /v1/notifications/push lists your devices.",
    {"detail": "You have no device 'dgone'."},
)
TOO_MANY_DEVICES: Final = Kind(
    "too-many-devices",
    409,
    "The account has too many devices",
    "An account can have ten devices that get pushes.",
    "Remove one that you no longer need with DELETE /v1/notifications/push/{device}.",
    {"detail": "The account has 10 devices and cannot have more."},
)
PUSH_OFF: Final = Kind(
    "push-off",
    409,
    "This service pushes nothing",
    "Its operators have not given it the keys that push takes, or these cannot be used.",
    "Ask the operators. Until then, follow GET /v1/notifications/stream.",
    {"detail": "This service pushes nothing to browsers."},
)
