"""The page of a paper, as Markdown and as HTML, from the same blocks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from shoal._command.experiment.result import Results
from shoal._command.reproduce import across
from shoal._command.reproduce.claim import Reply, Ruling
from shoal._command.reproduce.paper import ReproducedPaper
from shoal.papers import PAPERS
from shoal.report.page import render

_SIGNS = {Ruling.YES: "✓", Ruling.NO: "✗", Ruling.OPEN: "?"}


@dataclass(frozen=True)
class PageBlock:
    """A part of a page: `text` or `rows`, by `kind`."""

    kind: Literal["heading", "part", "paragraph", "list", "table", "figure", "code"]
    text: str = ""
    rows: Sequence[Sequence[str]] = ()
    names: Sequence[str] = ()
    address: str = ""


Blocks: TypeAlias = list[PageBlock]


@dataclass(frozen=True)
class Page:
    """A title and blocks."""

    key: str
    title: str
    lead: str
    blocks: Blocks = field(default_factory=list)

    def markdown(self) -> str:
        """The page for a folder of docs."""
        made = "<!-- Made by `shoal reproduce`; do not edit. -->"
        parts = [made, f"# {self.title}", self.lead, *(_markdown(b) for b in self.blocks)]
        return "\n\n".join(parts) + "\n"

    def html(self) -> str:
        """The page for a browser; figures are next to it."""
        return render("reproduce.html", page=self)


def _markdown(block: PageBlock) -> str:
    match block.kind:
        case "heading":
            return f"## {block.text}"
        case "part":
            return f"### {block.text}"
        case "list":
            return "\n".join(f"- {row[0]}" for row in block.rows)
        case "table":
            rows = [block.names, ["---"] * len(block.names), *block.rows]
            return "\n".join("| " + " | ".join(_cell(c) for c in row) + " |" for row in rows)
        case "figure":
            return f"![{block.text}]({block.address})"
        case "code":
            return f"```{block.address}\n{block.text.strip()}\n```"
        case _:
            return block.text


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


def paper_page(
    paper: ReproducedPaper,
    results: Results,
    answers: Sequence[Reply],
    drawn: Sequence[int],
    quick: bool,
) -> Page:
    """What the paper proposes, how it maps to plans, figures, claims, differences, errata."""
    story = paper.story
    about = PAPERS[paper.key]
    n_yes = sum(a.verdict is Ruling.YES for a in answers)
    n_no = sum(a.verdict is Ruling.NO for a in answers)
    n = len({a.claim for a in answers})
    lead = (
        f"{n} claims of the paper under {len(answers)} settings: {n_yes} confirmed, {n_no} not "
        f"confirmed, {len(answers) - n_yes - n_no} that cannot be tested here."
    )
    if quick:
        lead += (
            " This is a quick run: few settings and seeds, which is enough to see that everything "
            "works, but not to judge the paper."
        )
    blocks: Blocks = [
        PageBlock("paragraph", about.reference),
        PageBlock("heading", "What the paper proposes"),
        *_paragraphs(story["proposes"]),
        PageBlock("heading", "As plans"),
        *_paragraphs(story["plans"]),
        PageBlock("code", story["plan"], address="yaml"),
        PageBlock("heading", "Data"),
        *_paragraphs(story["data"]),
        *_missing(results),
        PageBlock("heading", "Claims"),
        *_claims(story, answers),
        PageBlock("heading", "Figures"),
        *_figures(paper, drawn, results),
        PageBlock("heading", "Differences from the paper"),
        PageBlock("list", rows=[[one] for one in story["differences"]]),
    ]
    if story.get("errata"):
        blocks += [PageBlock("heading", "Errata"), *_errata(story["errata"])]
    return Page(paper.key, f"{about.name}, reproduced", lead, blocks)


def across_page(paper: ReproducedPaper, results: Results, drawn: Sequence[int]) -> Page:
    """All systems side by side, a table for each data set."""
    story, names = paper.story, ("system", *across.NAMES.values())
    blocks: Blocks = [*_paragraphs(story["promises"]), *_missing(results)]
    for table in across.TABLES:
        blocks += [
            PageBlock("heading", table),
            *_paragraphs(story[table]),
            PageBlock("table", rows=across.table_rows(results, table), names=names),
        ]
    blocks += [PageBlock("heading", "Figures"), *_figures(paper, drawn, results)]
    blocks += [PageBlock("heading", "How to read this"), *_paragraphs(story["reading"])]
    lead = "Five systems and their baselines on the same tables, at the same promise."
    return Page("across", "All systems side by side", lead, blocks)


def _paragraphs(text: str) -> Iterator[PageBlock]:
    for part in text.strip().split("\n\n"):
        yield PageBlock("paragraph", " ".join(part.split()))


def _missing(results: Results) -> Iterator[PageBlock]:
    missing = results.finished.missing
    if missing:
        texts = dict.fromkeys(str(p) for problems in missing.values() for p in problems)
        yield PageBlock("paragraph", "Some tables are missing, so their points are not here:")
        yield PageBlock("list", rows=[[text] for text in texts])


def _claims(story: dict[str, object], answers: Sequence[Reply]) -> Iterator[PageBlock]:
    names = ("", "claim", "setting", "in the paper", "here", "verdict")
    rows, before = [], ""
    for a in sorted(answers, key=lambda a: _order(a, answers)):
        text = a.text if a.claim != before else ""
        rows.append([_SIGNS[a.verdict], text, a.setting, a.paper, a.ours, str(a.verdict)])
        before = a.claim
    yield PageBlock("table", rows=rows, names=names)
    whys = story.get("why", {})
    assert isinstance(whys, dict)
    failed = dict.fromkeys(a.claim for a in answers if a.verdict is not Ruling.YES)
    for claim in failed:
        if claim in whys:
            text = next(a.text for a in answers if a.claim == claim)
            yield PageBlock("part", text)
            yield from _why(whys[claim])


def _order(answer: Reply, answers: Sequence[Reply]) -> int:
    return [a.claim for a in answers].index(answer.claim)


def _why(words: dict[str, str]) -> Iterator[PageBlock]:
    because = words.get("because", "")
    reason = f"Reason: {because[:1].lower()}{because[1:]} " if because else ""
    yield from _paragraphs(reason + words["text"].strip())
    if "code" in words:
        yield PageBlock("code", words["code"], address="python")
        yield PageBlock("code", words["prints"], address="text")


def _figures(paper: ReproducedPaper, drawn: Sequence[int], results: Results) -> Iterator[PageBlock]:
    seeds = results.frame["seed"].n_unique() if "seed" in results.frame.columns else 1
    minutes = results.finished.cpu / 60
    n = len(results.finished.found)
    took = f" The {n:,} plans took {minutes:.0f} minutes of processor time."
    yield PageBlock(
        "paragraph",
        f"Points are means over up to {seeds} seeds, whiskers 95 % intervals of the mean "
        "(Student's t); without a whisker the interval is smaller than the mark, or nothing is "
        "drawn by seed. Whiskers end where a value cannot be. Every figure is also a table: "
        "`figure-N.csv`; `results.csv` has every plan with every seed."
        + (took if minutes >= 1 else ""),
    )
    for figure in paper.figures:
        if figure.number not in drawn:
            continue
        title = f"Figure {figure.number}. {figure.title}"
        yield PageBlock("figure", title, address=f"{paper.key}/figure-{figure.number}.svg")
        if figure.note:
            yield PageBlock("paragraph", figure.note)


def _errata(errata: Sequence[dict[str, str]]) -> Iterator[PageBlock]:
    for one in errata:
        yield from _why(one)
