"""The service: HTTP routes, stores, settings and the command line around the domain."""
