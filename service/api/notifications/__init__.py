"""The inbox of an account: notices about its games, and what waits for it; pushes and e-mails."""
