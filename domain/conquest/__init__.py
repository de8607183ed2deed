"""The box of Conquest of the Empire: pieces, colours and the die, which its games share; no rules of a turn."""
