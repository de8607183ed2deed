"""Provinces at war: rounds owed since an earlier turn (chapter WAR)."""
