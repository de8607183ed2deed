"""The rest of a military turn: battles by land and sea, and what the winner does with a province."""
