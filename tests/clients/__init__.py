"""The two client packages in `openapi/`: both are built, installed from the packed file, and asked the same things."""
