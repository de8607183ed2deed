"""Checks that need no rules: of an export, of events as they arrive, and of what the service signed.

They check the chain, who may act, that dice, shuffles and salts follow from the committed secret, and that hidden
values fit their commitments. `tabularium verify` also decides every command again.
"""

from tabularium_client.proof.certificate import Certified, certify
from tabularium_client.proof.chain import Chain
from tabularium_client.proof.export import Verdict, verify

__all__ = ["Certified", "Chain", "Verdict", "certify", "verify"]
