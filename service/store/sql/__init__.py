"""What both databases do in the same words. A placeholder is ``?``, as in `projections.sql`."""
