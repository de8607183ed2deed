"""What the games of a family need of their boards: a file for each family, with its name."""
