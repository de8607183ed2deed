"""Tests: they mirror the packages they test."""
