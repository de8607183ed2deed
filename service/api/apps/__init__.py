"""Apps of other people's that sign somebody in: what pages ask about them, and what they ask themselves."""
