"""A server of the Model Context Protocol, through which language models play and read games."""
