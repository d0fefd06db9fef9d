"""Options of Pokex: what `OptionFields` cannot read off ``PokexOptions``.

Must not be put here: which values go together; `games.pokex.options` judges that.
"""

from __future__ import annotations

from typing import Final

from croupier_server.games.pokex.rulesets import SPECS
from croupier_server.wire.options import OptionFields

OPTION_FIELDS: Final = OptionFields("pokex", "Pokex", SPECS)
