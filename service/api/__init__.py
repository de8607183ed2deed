"""The HTTP API: endpoints, strict reading of requests, problems, streams, the contract."""
