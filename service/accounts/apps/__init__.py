"""Apps of other people's that sign somebody in (OAuth 2.1)."""
