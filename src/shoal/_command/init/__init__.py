"""What a table looks like, and a first plan for it.

`profile` counts, and `propose` turns the counts and the names of the columns into a commented plan.
No value of a cell enters a plan or a message.
"""

from shoal._command.init.column import ColumnProfile
from shoal._command.init.entry import Entry
from shoal._command.init.group import ColumnGroup, open_groups
from shoal._command.init.profile import Profile, profile
from shoal._command.init.proposal import Proposal
from shoal._command.init.propose import init, propose

__all__ = [
    "ColumnGroup",
    "ColumnProfile",
    "Entry",
    "Profile",
    "Proposal",
    "init",
    "open_groups",
    "profile",
    "propose",
]
