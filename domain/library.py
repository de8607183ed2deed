"""The rulesets that this package can play."""

from domain.classic.ruleset import Friz, Published2005
from domain.kernel.rules.ruleset import Library
from domain.mare_nostrum.ruleset import MareNostrum

LIBRARY = Library([Friz(), Published2005(), MareNostrum()])
