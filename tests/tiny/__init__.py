"""A tiny game that hides cards and takes choices at the same time: the kernel's own test piece, no product."""
