"""Italia: Italia I and Italia II, a file for each chapter of the rule book."""
