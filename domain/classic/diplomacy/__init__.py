"""What players agree on at any time: alliances, and ransom for captured generals."""
