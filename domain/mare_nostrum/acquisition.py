"""Heroes and wonders are bought (MN-PRC-09 to MN-PRC-11, MN-HER-01, MN-HER-02)."""
