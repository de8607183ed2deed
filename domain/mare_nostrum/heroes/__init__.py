"""How players get heroes and wonders, and the heroes that act by themselves."""
