"""The auctions for alliances and turn order, and the votes of the senate."""
