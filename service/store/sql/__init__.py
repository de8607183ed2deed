"""Queries that both databases understand. A placeholder is ``?``, as in `projections.sql`."""
