"""What the checks of a record found."""

from __future__ import annotations

from typing import Any, NamedTuple


class Caution(str):
    """What a check found that holds, and that a reader of the record should weigh."""

    __slots__ = ()


class Check(NamedTuple):
    """Something that was checked.

    Attributes:
        name: a word for it.
        holds: whether it holds.
        detail: one sentence for people: what was compared, or what is wrong.
        warning: it holds, but *detail* says something that a reader should weigh.
    """

    name: str
    holds: bool
    detail: str
    warning: bool = False


class Report(NamedTuple):
    """The checks of one record in their order; those after one that makes them pointless are left
    out."""

    checks: tuple[Check, ...]

    @property
    def verified(self) -> bool:
        """Every check holds."""
        return all(check.holds for check in self.checks)

    @property
    def warnings(self) -> int:
        """How many checks hold with a warning."""
        return sum(check.warning for check in self.checks)

    def as_data(self) -> dict[str, Any]:
        """The report as values of JSON."""
        return {"verified": self.verified, "checks": [check._asdict() for check in self.checks]}

    @classmethod
    def from_data(cls, data: dict[str, Any]) -> Report:
        """The report that `as_data` made these values of."""
        return cls(tuple(Check(**check) for check in data["checks"]))
