-- repeat: each time in a transaction of its own, until it returns false. Fills in the book of the rows on some pages.
SELECT tabularium.fill_books(200);
