"""What happened: events, history, streams and exports."""
