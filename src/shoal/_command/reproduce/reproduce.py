"""Run the experiments of papers, answer their claims, and write figures and pages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import polars as pl

from shoal._command.experiment.cache import Cache, write_file
from shoal._command.experiment.experiment import cache_notes
from shoal._command.experiment.pool import Finished, OnProgress, carry_out
from shoal._command.experiment.result import Results
from shoal._command.experiment.trial import Grid
from shoal._command.reproduce import across, graph, identity, lgb, mhsa, mks3wd
from shoal._command.reproduce.claim import Reply, Ruling
from shoal._command.reproduce.page import across_page, paper_page
from shoal._command.reproduce.paper import ReproducedPaper
from shoal._command.reproduce.table import find_folder
from shoal.errors import PlanError, Problem

REPRODUCED: dict[str, ReproducedPaper] = {
    p.PAPER.key: p.PAPER for p in (mks3wd, lgb, identity, graph, mhsa, across)
}


@dataclass(frozen=True)
class Reproduction:
    """What came of one paper: its results, figures that were drawn, and answers to its claims."""

    key: str
    results: Results
    figures: tuple[int, ...]
    answers: tuple[Reply, ...]
    written: tuple[Path, ...]
    notes: tuple[str, ...] = ()

    @property
    def counts(self) -> tuple[int, ...]:
        """How many answers have each verdict: confirmed, not confirmed, not tested."""
        return tuple(sum(a.verdict is verdict for a in self.answers) for verdict in Ruling)

    @property
    def lacking(self) -> tuple[Problem, ...]:
        """What is wrong with the data, each problem once."""
        missing = self.results.finished.missing.values()
        return tuple(dict.fromkeys(problem for problems in missing for problem in problems))


def reproduce(
    paper: str = "all",
    figure: int | None = None,
    data: str | Path | None = None,
    output: str | Path = "reproduce",
    quick: bool = False,
    *,
    workers: int | None = None,
    progress: OnProgress | None = None,
) -> list[Reproduction]:
    """Reproduce a paper's figures and answer its claims, or those of all five.

    With `figure` only that one is drawn, and no claim is answered. `data` is the folder of public
    data sets, else SHOAL_DATA, else ../shared/data; a table that is not there is named, and all
    else is done. Results are kept in `output/cache`.
    """
    papers = chosen(paper, figure)
    folder, cache = Path(output), Cache(Path(output) / "cache")
    source = find_folder(data)
    grids = {p.key: p.grid(source, quick).of_figure(figure) for p in papers}
    # All at once: every process starts and compiles only once.
    finished = _apart(carry_out(_together(grids), cache, workers, progress), list(grids))
    done = [
        _reproduce(p, Results(finished[p.key]), figure, folder, quick, cache_notes(cache))
        for p in papers
    ]
    if figure is None and len(papers) > 1:
        write_file(folder / "claims.csv", claims_table(done).write_csv().encode())
    return done


def _together(grids: Mapping[str, Grid]) -> Grid:
    """All trials in one grid, their tables named by their papers."""
    trials = [replace(t, data=f"{key}: {t.data}") for key, g in grids.items() for t in g.trials]
    tables = {f"{key}: {n}": table for key, g in grids.items() for n, table in g.tables.items()}
    return Grid(tuple(trials), tables)


def _apart(finished: Finished, keys: Sequence[str]) -> dict[str, Finished]:
    """What became of the trials of each paper."""
    pairs = list(zip(finished.trials, finished.found, strict=True))
    parts = {}
    for key in keys:
        own = [(t, f) for t, f in pairs if t.data.startswith(f"{key}: ")]
        missing = {n: p for n, p in finished.missing.items() if n.startswith(f"{key}: ")}
        parts[key] = Finished(
            tuple(t for t, _ in own), tuple(f for _, f in own), missing, finished.computed
        )
    return parts


def chosen(paper: str, figure: int | None) -> list[ReproducedPaper]:
    """The papers of this name; raises PlanError where there is none, or no such figure."""
    if paper != "all" and paper not in REPRODUCED:
        raise PlanError(
            f"There is no paper {paper!r}.", hint=f"Papers are {', '.join(REPRODUCED)}, and all."
        )
    papers = list(REPRODUCED.values()) if paper == "all" else [REPRODUCED[paper]]
    if figure is None:
        return papers
    found = [p for p in papers if figure in {f.number for f in p.figures}]
    if not found:
        numbers = sorted({f.number for p in papers for f in p.figures})
        raise PlanError(
            f"There is no figure {figure} in {'any paper' if paper == 'all' else paper}.",
            hint=f"Figures are {', '.join(map(str, numbers))}.",
        )
    return found


def _reproduce(
    paper: ReproducedPaper,
    results: Results,
    figure: int | None,
    folder: Path,
    quick: bool,
    notes: tuple[str, ...],
) -> Reproduction:
    own = folder / paper.key
    drawn = [
        f.number for f in paper.figures if figure in (None, f.number) and f.write(results, own)
    ]
    written = [own / f"figure-{number}.{kind}" for number in drawn for kind in ("svg", "csv")]
    answers: Sequence[Reply] = ()
    if figure is None:
        answers = paper.claims(results)
        if paper is across.PAPER:
            page = across_page(paper, results, drawn)
        else:
            page = paper_page(paper, results, answers, drawn, quick)
        pages = {
            folder / f"{paper.key}.md": page.markdown(),
            folder / f"{paper.key}.html": page.html(),
            own / "results.csv": _rounded(results.frame).write_csv(),
        }
        if answers:
            pages[own / "claims.csv"] = _table(paper, answers).write_csv()
        for file, text in pages.items():
            write_file(file, text.encode())
        written += pages
    return Reproduction(paper.key, results, tuple(drawn), tuple(answers), tuple(written), notes)


def claims_table(done: Sequence[Reproduction]) -> pl.DataFrame:
    """All claims with their answers."""
    return pl.concat([_table(REPRODUCED[one.key], one.answers) for one in done])


_CLAIMS = ("paper", "claim", "text", "setting", "printed", "here", "verdict", "reason",
           "explanation", "example")  # fmt: skip


def _table(paper: ReproducedPaper, answers: Sequence[Reply]) -> pl.DataFrame:
    """A row for every claim and setting; what is not confirmed with its reason and an example."""
    rows = [
        (paper.key, a.claim, a.text, a.setting, a.paper, a.ours, str(a.verdict), *_why(paper, a))
        for a in answers
    ]
    return pl.DataFrame(rows, schema=dict.fromkeys(_CLAIMS, pl.String), orient="row")


def _why(paper: ReproducedPaper, answer: Reply) -> tuple[str, str, str]:
    words = paper.story.get("why", {}).get(answer.claim, {})
    if answer.verdict is Ruling.YES or not words:
        return "", "", ""
    text = " ".join(words["text"].split())
    # One example may serve several claims.
    shown = paper.story["why"][words["see"]] if "see" in words else words
    return words.get("because", ""), text, shown.get("code", "").strip()


def _rounded(frame: pl.DataFrame) -> pl.DataFrame:
    """Six significant digits are more than any of these numbers is good for."""
    return frame.with_columns(pl.col(pl.Float64).round_sig_figs(6))
