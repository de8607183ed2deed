"""The endpoints for what projections count: scoreboards, records, ratings, luck, dice, refusals, charts."""
