"""Players that are programs: for demonstrations, and for whole games in this process."""
