"""What every part of the service may use; it knows no other part."""
