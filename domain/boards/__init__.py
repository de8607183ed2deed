"""Boards: areas, borders, straits, coasts and values. Data files, and what loads, checks and indexes them."""
