"""Options of Tractor: what `OptionFields` cannot read off ``TractorOptions``.

Must not be put here: which values go together; `games.tractor.options` judges that.
"""

from __future__ import annotations

from typing import Final

from croupier_server.games.tractor.rulesets import SPECS
from croupier_server.wire.options import OptionFields

OPTION_FIELDS: Final = OptionFields("tractor", "Tractor", SPECS)
