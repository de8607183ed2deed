"""What the service keeps about an account, as a file for its owner."""
