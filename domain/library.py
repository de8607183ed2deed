"""The rulesets that this package can play."""

from domain.campaign.ruleset import Campaign
from domain.classic.ruleset import RULESETS as CLASSIC
from domain.italia.ruleset import ItaliaI, ItaliaII
from domain.kernel.rules.ruleset import Library
from domain.mare_nostrum.ruleset import MareNostrum

LIBRARY = Library([*CLASSIC, Campaign(), ItaliaI(), ItaliaII(), MareNostrum()])
