"""All laws in one class, which a ruleset's tests extend."""

from tests.helpers.laws.defaults import Defaults
from tests.helpers.laws.folding import Folding
from tests.helpers.laws.options import Options
from tests.helpers.laws.progress import Progress
from tests.helpers.laws.purity import Purity
from tests.helpers.laws.secrecy import Secrecy


class Laws(Defaults, Folding, Options, Secrecy, Progress, Purity):
    """The laws as tests."""
