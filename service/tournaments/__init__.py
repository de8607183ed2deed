"""What tournaments need beside their rules: the solver that draws a round."""
