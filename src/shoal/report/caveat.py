"""What the guarantee does not cover."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from shoal.model import MODELS, MultiLevelK
from shoal.model.base import Counting
from shoal.model.l_diversity import limits_guesses
from shoal.reading.manifest import Manifest
from shoal.release import fact
from shoal.release.crowd import CrowdSizes, count_alone, read_pairs, sensitivity_clues
from shoal.release.fact import listed
from shoal.report.cell import COARSER
from shoal.report.finding import Finding
from shoal.schema import Role
from shoal.schema.wording import percent

_SETTLED = {"first": "that of one of the rows", "mode": "the commonest"}


class Caveat(NamedTuple):
    """A limit, in one line and in a few."""

    title: str
    text: str


def caveats(manifest: Manifest, findings: Sequence[Finding], sizes: CrowdSizes) -> list[Caveat]:
    """The limits that apply to this release, most severe first; `sizes` are those of its groups."""
    return [
        *_by_size(manifest, findings, sizes),
        *_changed(manifest),
        *_revealing(manifest),
        *_values(manifest, findings),
        *_symbols(manifest),
        *_together(manifest, findings),
        *_in_buckets(manifest, findings),
        *_always(),
        *_form(manifest),
    ]


def _by_size(
    manifest: Manifest, findings: Sequence[Finding], sizes: CrowdSizes
) -> Iterator[Caveat]:
    """What the sizes of groups reveal, where people require crowds of different sizes."""
    personal = next((f for f in findings if f.model == MultiLevelK.name), None)
    if personal is None:
        return
    people = manifest.counts_people
    if any(low == 1 for _, low in read_pairs(personal.parameters)):
        yield Caveat("People without a crowd", fact.published_alone(count_alone(sizes), people))
    clues = sensitivity_clues(personal.parameters, sizes)
    if clues and personal.holds is True:
        yield Caveat("What the size of a group reveals", fact.size_clues(clues, people))


def _changed(manifest: Manifest) -> Iterator[Caveat]:
    """What the table says that the input did not."""
    if manifest.conflict in _SETTLED:
        yield Caveat(
            "Cells that may have been replaced",
            f"{fact.CONFLICTS} It is {_SETTLED[manifest.conflict]}. Cells that were replaced in "
            "this way count as unchanged in the figures above.",
        )


def _revealing(manifest: Manifest) -> Iterator[Caveat]:
    """Whom the columns that are published as they are give away."""
    if manifest.singled_out > fact.MANY:
        names = [c.name for c in manifest.in_the_open]
        said = fact.telling_columns(listed(names), len(names), manifest.singled_out)
        yield Caveat("Rows that stand out by themselves", said)


def _values(manifest: Manifest, findings: Sequence[Finding]) -> Iterator[Caveat]:
    """What may be learnt of sensitive values."""
    sensitive = [c.name for c in manifest.of_role(Role.SENSITIVE, Role.SEMI_SENSITIVE)]
    guarded = {f.attribute for f in findings if _counting(f)}
    # A requirement that names no attribute is on every sensitive column.
    bare = [] if None in guarded else [name for name in sensitive if name not in guarded]
    if bare:
        said = fact.unprotected(listed(bare), manifest.counts_people)
        yield Caveat("Secrets that a whole group shares", said)
    by_group = [f for f in findings if not f.by_bucket]
    if any(f.model == "l-diversity" and _kind(f.parameters) == "distinct" for f in by_group):
        yield Caveat(
            "Likely guesses",
            "What was counted is how many different values there are, not how common each is. If "
            "nine in ten people in a group have the same value, guessing it is right nine times "
            "in ten. Different values may also mean much the same.",
        )


def _symbols(manifest: Manifest) -> Iterator[Caveat]:
    """What may be learnt from how openly a value is shown."""
    names = [c.name for c in manifest.flagged]
    if not names:
        return
    yield Caveat(
        "Values that are shown less openly",
        f"Cells of {listed(names)} show as much as was allowed for them. If only a few values are "
        "shown less openly than the rest, a cell that is shown so must hold one of these few.",
    )
    if len(manifest.of_role(Role.SENSITIVE)) > 1:
        yield Caveat(
            "Columns that give each other away",
            "Each column was judged by itself. Where two go together, such as a drug and the "
            "illness it treats, the one that is shown reveals the one that is not.",
        )


def _together(manifest: Manifest, findings: Sequence[Finding]) -> Iterator[Caveat]:
    """What follows from rows that are known to be one person's."""
    if not manifest.counts_people:
        return
    yield Caveat(
        "Rows that belong together",
        "Id_num says which rows belong to the same person. Anybody who knows one value of a "
        "person, from a bill for example, may use it to find the person’s number in the group, "
        "and so all their other rows. So may anybody who knows how many rows the person has.",
    )
    by = {_counting(f) for f in findings}
    if "rows" in by and "people" not in by:
        share = manifest.measures.get("v")
        counted = (
            "" if share is None else (f" {percent(share)} of the groups reveal more in this way.")
        )
        yield Caveat(
            "A value that everybody has",
            "Values were counted by rows. Where people have several rows, a group may show many "
            f"values although everybody in it has one of them.{counted} The models eir-l and "
            "eir-alpha-beta rule that out.",
        )


def _in_buckets(manifest: Manifest, findings: Sequence[Finding]) -> Iterator[Caveat]:
    """What may be learnt of values that are in buckets."""
    if not manifest.keeps_secrets:
        return
    yield Caveat(
        "Links between rows and buckets",
        "The table does not say which value in a bucket belongs to which row. But patterns across "
        "the whole release can make some links likelier than others (the deFinetti attack).",
    )
    yield Caveat(
        "Values that mean much the same",
        "A bucket holds different values, but they may still mean much the same: neighbouring "
        "ages, or kinds of one illness.",
    )
    yield from _among_buckets([f for f in findings if f.by_bucket and not f.idle])
    choices = [c.name for c in manifest.of_role(Role.SEMI_SENSITIVE)]
    if choices:
        yield Caveat(
            "What people chose to hide",
            f"Readers can see whether somebody keeps {listed(choices, last='or')} secret. If the "
            "only people who hide a value are those with something to hide, hiding it gives it "
            "away.",
        )


def _among_buckets(findings: Sequence[Finding]) -> Iterator[Caveat]:
    """What the rules of buckets leave open, taken one by one and together."""
    hidden = list(dict.fromkeys(f.attribute or "" for f in findings))
    if len(hidden) > 1:
        yield Caveat(
            "Secrets that go together",
            f"{listed(hidden)} were put into buckets independently of one another. Anybody who "
            "knows that a value of one hardly ever goes with a value of another can rule out "
            "values in a bucket.",
        )
    bounded = {f.attribute for f in findings if limits_guesses(f.model, f.parameters)}
    unbound = [name for name in hidden if name not in bounded]
    if unbound:
        yield Caveat(
            "Guesses without a limit",
            f"What was required of {listed(unbound)} limits how values are spread, but not how "
            "often a guess is right: among a few values, one may be likely.",
        )


def _counting(finding: Finding) -> Counting | None:
    """By what a requirement counts sensitive values, if it does and its model is known."""
    model = MODELS.get(finding.model)
    return None if model is None else model.counts_values_by


def _kind(parameters: object) -> str:
    return str(parameters.get("kind") or "distinct") if isinstance(parameters, dict) else "distinct"


def _always() -> Iterator[Caveat]:
    yield Caveat(
        "What somebody already knows",
        "The groups protect against somebody who knows a person’s description and nothing else. "
        "Anybody who knows more, such as that the person does not have a certain value, or which "
        "rows belong to others in the group, can rule rows out.",
    )
    yield Caveat(
        "Being in the table",
        "The table hides neither that a person is in it nor what it says as a whole about people "
        "like them. This is not differential privacy.",
    )
    yield Caveat(
        "Several releases about the same people",
        "Each release was judged by itself. There may be another about the same people, from this "
        f"publisher or from elsewhere. {fact.COMPOSITION}",
    )
    yield Caveat(
        "Those who know the method",
        "A method that coarsens only as much as it must reveals that coarsening less would not "
        "have been enough. From this, part of the detail that was removed can sometimes be "
        "inferred (minimality and downcoding attacks).",
    )


def _form(manifest: Manifest) -> Iterator[Caveat]:
    """What follows from the form of the table."""
    ranges = fact.with_real_ends(manifest.quasi, manifest.ranges)
    if ranges:
        yield Caveat("Ends of ranges are real", fact.real_ends(listed(ranges)))
    sets = [
        name
        for name in fact.with_sets(manifest.quasi)
        if manifest.cells_by_attribute.get(name, {}).get(COARSER)
    ]
    if sets:
        yield Caveat("Sets are exact", fact.exact_sets(listed(sets)))
    if not manifest.counts_people:
        yield Caveat(
            "Each row is taken as one person",
            "No column was declared to say which rows belong to the same person. If somebody has "
            "several rows, a group may hold fewer people than rows.",
        )
    open_columns = [c.name for c in manifest.of_role(Role.INSENSITIVE)]
    if open_columns:
        yield Caveat(
            "Columns that were left as they were",
            f"{listed(open_columns)} {'was' if len(open_columns) == 1 else 'were'} declared "
            "harmless and published unchanged. For anybody who knows a person’s values there, the "
            "groups are smaller than stated here.",
        )
    if manifest.counts.get("counterfeits"):
        yield Caveat(
            "Rows that belong to nobody",
            f"{manifest.counts['counterfeits']:,} of the {manifest.counts.get('published', 0):,} "
            "rows are counterfeits: they stand in for people who have left, so that this version "
            "and earlier ones together show no more than each does alone. Which rows these are is "
            "secret.",
        )
    if manifest.counts.get("counterfeit_entries"):
        yield Caveat(
            "Entries that belong to nobody",
            f"{manifest.counts['counterfeit_entries']:,} entries in buckets are counterfeits: "
            "they stand in for people who have left, so that this version and earlier ones "
            "together show no more than each does alone. A bucket with more values than rows has "
            "some; which ones is secret.",
        )
    if manifest.counts.get("suppressed"):
        yield Caveat(
            "Rows that were left out",
            "The people left out are rarely a fair sample: they are the ones who stand out. "
            "Totals and averages from this table are biased towards what is common.",
        )
