-- repeat: each time in a transaction of its own, until it returns false. Moves events into the log.
SELECT tabularium.move_events(20000);
