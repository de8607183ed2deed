"""The transparency log: what the service signs of every stream, so that it cannot show somebody another history."""
