"""What a table looks like, and a first plan for it.

`profile` counts, `propose` turns the counts and the names of the columns into a commented plan. No
cell's value enters a plan or a message.
"""

from shoal.profile.column import ColumnProfile
from shoal.profile.profile import Profile, profile
from shoal.profile.proposal import Proposal, proposal, propose

__all__ = ["ColumnProfile", "Profile", "Proposal", "profile", "proposal", "propose"]
