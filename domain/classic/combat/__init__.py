"""Phase 2: battles by land and sea, and what follows them: retreat, pursuit, conquest, captured leaders."""
