"""What the game consists of: its data, lots, hands, and the table on which everything lies."""
