"""Phase 1: moves by land and sea, and what other players allow."""
