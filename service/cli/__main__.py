"""``python -m service.cli``, as ``tabularium``."""

from service.cli import main

main()
