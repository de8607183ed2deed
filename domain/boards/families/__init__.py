"""What the games that are played on a family of boards need of them: a file for each family, of its name."""
