"""The reports of a release: one for its readers, one for its publisher.

Both are single HTML files without scripts, fonts or pictures from elsewhere; charts are drawn as
inline SVG in the colours of the page.
"""

from shoal.reports.cell import cells_by_attribute
from shoal.reports.private import private_report
from shoal.reports.public import release_report

__all__ = ["cells_by_attribute", "private_report", "release_report"]
