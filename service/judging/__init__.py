"""Cases: disputes about games, and rulings that may change them."""
