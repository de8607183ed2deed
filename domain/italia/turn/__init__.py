"""The round and a turn but for its moves and battles: income, purchases, arrivals, stacking, points."""
