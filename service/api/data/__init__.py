"""The stored data of an account, as a file for its owner."""
