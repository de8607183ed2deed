"""The endpoints for accounts, sessions and sign-in, and the streams of an account."""
