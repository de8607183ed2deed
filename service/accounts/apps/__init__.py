"""Other people's apps, in which players sign in with their account here (OAuth 2.1)."""
