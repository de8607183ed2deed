"""How triremes and legions move."""
