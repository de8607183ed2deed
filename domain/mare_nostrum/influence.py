"""Influence markers: where one may be placed, and conversion completed (chapter INF)."""
