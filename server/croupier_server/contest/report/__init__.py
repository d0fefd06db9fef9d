"""The report of a contest: one HTML file without network access, JSON, and CSV files.

`croupier_server.contest.report.data` describes the input, and imports nothing of the contests.
"""

from croupier_server.contest.report.export import as_json, csv_files
from croupier_server.contest.report.page import html

__all__ = ["as_json", "csv_files", "html"]
