"""The endpoints for webhooks, the addresses to which accounts have events sent, and for deliveries."""
