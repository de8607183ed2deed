"""The endpoints of cases: disputes about games."""
