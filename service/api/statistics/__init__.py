"""What projections tell: scoreboards, records, dice, refusals, charts."""
