"""The endpoints of forks: games that begin with the position of another one."""
