"""The reports of a release: one for its readers, one for its publisher.

Both are single HTML files without scripts, fonts or pictures from elsewhere; charts are drawn as
inline SVG in the colours of the page.
"""

from shoal.report.group import GroupSizes
from shoal.report.private import private_report
from shoal.report.public import release_report
from shoal.report.secret import BucketSizes

__all__ = ["BucketSizes", "GroupSizes", "private_report", "release_report"]
