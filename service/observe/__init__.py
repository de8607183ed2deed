"""How a running service is watched: its log, its metrics, its traces."""
