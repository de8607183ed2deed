"""Rulesets, their boards, rules and schemas."""
