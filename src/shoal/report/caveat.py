"""What the guarantee does not cover."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from shoal.reading.manifest import Manifest
from shoal.release import fact
from shoal.release.crowd import Sizes, count_alone, read_pairs, sensitivity_clues
from shoal.release.fact import listed
from shoal.report.cell import COARSER
from shoal.report.finding import Finding
from shoal.report.wording import percent
from shoal.schema import Role

_ON_ROWS = (
    "l-diversity", "alpha-k", "t-closeness", "k-e", "ir-kl", "ir-alpha-beta", "beta-likeness",
    "delta-disclosure", "lkc", "p-sensitive",
)  # fmt: skip
_ON_PEOPLE = ("eir-l", "eir-alpha-beta")
_ON_VALUES = (*_ON_ROWS, *_ON_PEOPLE)


_SETTLED = {"first": "that of one of the rows", "mode": "the commonest"}


class Caveat(NamedTuple):
    """A limit, in one line and in a few."""

    title: str
    text: str


def caveats(manifest: Manifest, findings: Sequence[Finding], sizes: Sizes) -> list[Caveat]:
    """The limits that apply to this release, the gravest first; `sizes` are those of its groups."""
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


def _by_size(manifest: Manifest, findings: Sequence[Finding], sizes: Sizes) -> Iterator[Caveat]:
    """What the sizes of groups reveal, where people require crowds of different sizes."""
    personal = next((f for f in findings if f.model == "multi-level-k"), None)
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
            f"{fact.CONFLICTS} It is {_SETTLED[manifest.conflict]}. Cells that say something else "
            "than the original count as unchanged in the figures above.",
        )


def _revealing(manifest: Manifest) -> Iterator[Caveat]:
    """Whom the columns that are published as they are give away."""
    if manifest.singled_out > fact.MANY:
        names = [c.name for c in manifest.in_the_open]
        said = fact.singled_out(listed(names), len(names), manifest.singled_out)
        yield Caveat("Rows that stand out by themselves", said)


def _values(manifest: Manifest, findings: Sequence[Finding]) -> Iterator[Caveat]:
    """What may be learnt of sensitive values."""
    sensitive = [c.name for c in manifest.of_role(Role.SENSITIVE, Role.SEMI_SENSITIVE)]
    guarded = {f.attribute for f in findings if f.model in _ON_VALUES}
    bare = [] if None in guarded else [name for name in sensitive if name not in guarded]
    if bare:
        said = fact.unprotected(listed(bare), manifest.counts_people)
        yield Caveat("Secrets that a whole group shares", said)
    by_group = [f for f in findings if not f.by_bucket]
    if any(f.model == "l-diversity" and _kind(f.parameters) == "distinct" for f in by_group):
        yield Caveat(
            "Likely guesses",
            "Different values were counted, not how common they are. If nine in ten people of a "
            "group have the same value, a guess is right nine times in ten; and values that "
            "differ may still mean much the same.",
        )


def _symbols(manifest: Manifest) -> Iterator[Caveat]:
    """What may be learnt from how openly a value is shown."""
    names = [c.name for c in manifest.flagged]
    if not names:
        return
    yield Caveat(
        "Values that are shown less openly",
        f"Cells of {listed(names)} show as much as was allowed for them. Where only few values "
        "are shown less openly than others, that a cell is one of these says something about it.",
    )
    if len(manifest.of_role(Role.SENSITIVE)) > 1:
        yield Caveat(
            "Columns that give each other away",
            "Each column was judged by itself. Where two go together, as a drug and what it is "
            "for, the one that is shown reveals the one that is not.",
        )


def _together(manifest: Manifest, findings: Sequence[Finding]) -> Iterator[Caveat]:
    """What follows from rows that are known to be one person's."""
    if not manifest.counts_people:
        return
    yield Caveat(
        "Rows that belong together",
        "Id_num says which rows are one person’s. Whoever knows one value of somebody, from a "
        "bill say, may find their number in the group by it, and so all their other rows. So may "
        "whoever knows how many rows somebody has.",
    )
    models = {f.model for f in findings}
    if models.intersection(_ON_ROWS) and not models.intersection(_ON_PEOPLE):
        share = manifest.measures.get("v")
        counted = "" if share is None else f" {percent(share)} of the groups leave more open so."
        yield Caveat(
            "A value that everybody has",
            "Values were counted by rows. Where people have several rows, a group may show many "
            f"values although one of them is everybody’s.{counted} The models eir-l and "
            "eir-alpha-beta rule that out.",
        )


def _in_buckets(manifest: Manifest, findings: Sequence[Finding]) -> Iterator[Caveat]:
    """What may be learnt of values that are in buckets."""
    if not manifest.keeps_secrets:
        return
    yield Caveat(
        "Links between rows and buckets",
        "Which row holds which value of its bucket is open. Patterns that hold over the whole "
        "release can make some of the links likelier than others (the deFinetti attack).",
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
            f"Whether somebody keeps {listed(choices, last='or')} secret can be seen. Where only "
            "those hide a value who have something to hide, that gives it away.",
        )


def _among_buckets(findings: Sequence[Finding]) -> Iterator[Caveat]:
    """What the rules of buckets leave open, taken one by one and together."""
    hidden = list(dict.fromkeys(f.attribute or "" for f in findings))
    if len(hidden) > 1:
        yield Caveat(
            "Secrets that go together",
            f"{listed(hidden)} were each put into buckets by themselves. Whoever knows that a "
            "value of one hardly ever goes with a value of another can rule out values of a "
            "bucket.",
        )
    bounded = {f.attribute for f in findings if _bounds_guesses(f)}
    unbound = [name for name in hidden if name not in bounded]
    if unbound:
        yield Caveat(
            "Guesses that nothing bounds",
            f"What was required of {listed(unbound)} says how values are spread, but not how often "
            "a guess is right: of few values, one may be likely.",
        )


def _bounds_guesses(finding: Finding) -> bool:
    """Whether a requirement of buckets bounds by 1/l how often a guess is right."""
    return finding.model == "l-diversity" and _kind(finding.parameters) in ("distinct", "frequency")


def _kind(parameters: object) -> str:
    return str(parameters.get("kind") or "distinct") if isinstance(parameters, dict) else "distinct"


def _always() -> Iterator[Caveat]:
    yield Caveat(
        "What somebody already knows",
        "The groups protect against those who know what describes a person, and no more. "
        "Somebody who knows, say, that a person does not have a certain value, or that others in "
        "the group are not meant, can rule rows out.",
    )
    yield Caveat(
        "Being in the table",
        "That a person is in the table at all is not hidden, nor what the table as a whole "
        "tells about people like them. This is not differential privacy.",
    )
    yield Caveat(
        "Several releases about the same people",
        "Each release was judged by itself. There may be another about the same people, from here "
        f"or from elsewhere. {fact.COMPOSITION}",
    )
    yield Caveat(
        "Those who know the method",
        "A method that coarsens only as much as it must gives away that less would not have done. "
        "With that (minimality and downcoding attacks), part of the detail that was taken out "
        "can sometimes be inferred.",
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
            "One row is taken as one person",
            "No column said which rows belong to the same person. If somebody has several rows, "
            "a group may hold fewer people than rows.",
        )
    open_columns = [c.name for c in manifest.of_role(Role.INSENSITIVE)]
    if open_columns:
        yield Caveat(
            "Columns that were left as they were",
            f"{listed(open_columns)} {'was' if len(open_columns) == 1 else 'were'} declared "
            "harmless and published without a change. Where somebody can know these values of a "
            "person, groups become smaller than stated here.",
        )
    if manifest.counts.get("counterfeits"):
        yield Caveat(
            "Rows that are nobody's",
            f"{manifest.counts['counterfeits']:,} of the {manifest.counts.get('published', 0):,} "
            "rows are counterfeits: they stand for values of people who left, so that this version "
            "and earlier ones together show no more than each does. Which rows they are is secret.",
        )
    if manifest.counts.get("counterfeit_entries"):
        yield Caveat(
            "Entries that are nobody's",
            f"{manifest.counts['counterfeit_entries']:,} entries of buckets are counterfeits: they "
            "stand for values of people who left, so that this version and earlier ones together "
            "show no more than each does. A bucket that has more values than rows has some; which "
            "they are is secret.",
        )
    if manifest.counts.get("suppressed"):
        yield Caveat(
            "Rows that were left out",
            "Those who are missing are rarely a fair sample: they are the people who stand out. "
            "Totals and averages from this table lean towards what is common.",
        )
