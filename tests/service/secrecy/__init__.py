"""Secrecy over the whole surface: two games that differ in one secret look alike to everybody who may not know it."""
