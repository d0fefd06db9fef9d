"""Options of Tong-its: what `OptionFields` cannot read off ``TongitsOptions``.

Must not be put here: which values go together; `games.tongits.options` judges that.
"""

from __future__ import annotations

from typing import Final

from croupier_server.games.tongits.rulesets import SPECS
from croupier_server.wire.options import OptionFields

OPTION_FIELDS: Final = OptionFields("tongits", "Tong-its", SPECS)
