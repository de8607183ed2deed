"""Military turns after the moves: battles by land and sea, and what the winner does with a province."""
