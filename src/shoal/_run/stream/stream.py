"""From rows that arrive to batches that hold, under a bound on how long anybody waits.

read ahead → fit → window → classes → those who leave: release, verified → draft, durable → state,
in one step → the batch gets its name

Time is counted in rows. A batch is made after every `batch` rows; its window has these and whoever
was held back before. Who finds no class waits for the next one if that comes within `rows` rows of
their arrival, and is left out and counted otherwise.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, Any, Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal._run.read import kept_columns
from shoal._run.seed import Seed, find_seed
from shoal._run.stream.batch import make_batch
from shoal._run.stream.fit import find_unfit
from shoal._run.stream.intake import (
    Ahead,
    From,
    Piece,
    pieces_of_folder,
    pieces_of_pipe,
    pieces_of_tables,
)
from shoal._run.stream.seen import Seen
from shoal._run.stream.support import check_streamable
from shoal.errors import DataError, PlanError
from shoal.folder.exchange import locked
from shoal.folder.journal import (
    FILE,
    Journal,
    StreamProgress,
    Totals,
    Waiting,
    complete,
    read_people,
)
from shoal.folder.place import check_apart
from shoal.folder.writing import settle, write_draft
from shoal.method import Mondrian
from shoal.plan import AnyPlan, Plan
from shoal.recode import add_digests, hash_columns, sum_digest
from shoal.schema import Role, Verdict
from shoal.schema.advice import Advice, advise, by_severity
from shoal.source import AnyTable
from shoal.source.inbox import Inbox
from shoal.table.distinct import distinct

Restart = Literal["refuse", "replay", "resume"]
# Rows that arrived are acknowledged after this many seconds in which no others do.
_PATIENCE = 0.5
# Whether to end is asked at least so often, in seconds.
_LISTEN = 0.05


@dataclass(frozen=True)
class StreamBatch:
    """A batch as it is reported: its name, what it holds, and where the stream is now."""

    name: str
    verdicts: tuple[Verdict, ...]
    rows: int
    classes: int
    glm: float
    acknowledged: int
    waiting: int
    warnings: tuple[Advice, ...] = ()


@dataclass(frozen=True)
class Streamed:
    """Where a stream stands when it ends.

    `acknowledged` rows need not be sent again. Of them, `totals` says how many became what;
    `waiting` are in the private folder. `ended`: no rows are left, and nobody asked to stop.
    `warnings` are those of the batches, each code as the first batch has it, and of the stream.
    """

    output: Path
    acknowledged: int
    batches: int
    totals: Totals
    waiting: int
    longest_wait: int
    ended: bool
    warnings: tuple[Advice, ...] = ()

    @property
    def glm(self) -> float:
        """The mean loss over all rows that were decided; a suppressed row loses all."""
        decided = self.totals.published + self.totals.suppressed
        return self.totals.lost / decided if decided else 0.0


def stream(
    plan: AnyPlan,
    data: str | Path | IO[bytes] | Iterable[AnyTable] | None = None,
    *,
    private: str | Path,
    output: str | Path | None = None,
    flush: bool = False,
    follow: bool = False,
    restart: Restart = "refuse",
    stop: Callable[[], bool] | None = None,
    report: Callable[[StreamBatch], None] | None = None,
) -> Streamed:
    """Publish rows as they arrive, batch by batch; each batch is a release of its own.

    `data` is a folder whose files are taken in the order of their names, a binary file, or an
    iterable of tables; left out, it is the plan's source, or else standard input. `private` has the
    state: a stream that was ended or killed continues from it. `restart` says what rows that do not
    come from a folder begin with then: the first row of all (`replay`: those that are acknowledged
    are skipped), or the next one (`resume`). `follow` waits for more files. `flush` publishes at
    the end who still waits. `stop` is asked now and then whether to end. Raises a ShoalError where
    the plan or the rows are invalid; what was published stays.
    """
    plan = _settled(Plan.of(plan))
    folder = Path(output) if output is not None else plan.output_folder
    if folder is None:
        raise PlanError(
            "A stream needs an output folder, but neither the call nor the plan names one.",
            hint="Add 'output: FOLDER' to the plan, or give one in the call.",
        )
    own = Path(private)
    check_apart(folder, own)
    own.mkdir(mode=0o700, parents=True, exist_ok=True)
    folder.mkdir(parents=True, exist_ok=True)
    with locked(own, patience=0) as free:
        if not free:
            raise PlanError(
                f"Another stream is using the private folder {own}.", hint="End it first."
            )
        run = _Stream(plan, folder, _opened(plan, folder, own), report or (lambda _: None))
        # Rows of a pipe that were read are taken, whatever is asked: nobody can read them again.
        closing = threading.Event() if _is_pipe(plan, data) else None
        ahead = Ahead(run.pieces(data, restart, closing, follow=follow), closing)
        return run.follow(ahead, stop or (lambda: False), flush=flush)


def _settled(plan: Plan) -> Plan:
    """The plan as a stream runs it: `auto` is mondrian, the quickest that loses little."""
    check_streamable(plan)
    if plan.method.name != "auto":
        return plan
    return replace(plan, method=Mondrian(cut="loss").bound(plan.schema, plan.models))


def _opened(plan: Plan, output: Path, private: Path) -> Journal:
    """The journal of this stream, with what a kill left half done completed."""
    found = Journal.found(private)
    if found is None:
        # A kill before the first commit may leave a draft of it.
        if any(path.name != f"{FILE}.tmp" for path in private.iterdir()):
            raise PlanError(
                f"The private folder {private} contains something other than a stream.",
                hint="Choose another place.",
            )
        if any(path for path in output.iterdir() if path.name.startswith("batch-")):
            raise PlanError(
                f"The output folder {output} has batches of another stream.",
                hint="Choose another place, or name the private folder of that stream.",
            )
        begun = StreamProgress(plan.digest(), find_seed(plan).value, _apart(output, private))
        found = Journal(private, begun)
        found.commit(found.progress)
        return found
    if found.progress.plan != plan.digest():
        raise PlanError(
            f"The state in {private} belongs to another plan.",
            hint="Continue with that plan, or begin a new stream in other folders.",
        )
    if plan.seed is not None and found.progress.seed != find_seed(plan).value:
        raise PlanError(
            f"The state in {private} belongs to another seed.",
            hint="Continue with that seed, or leave it out: the state has it.",
        )
    if found.progress.output != _apart(output, private):
        raise PlanError(
            f"The stream whose state is in {private} writes to another output folder.",
            hint="Continue with that folder, or move both folders together.",
        )
    complete(output, found.progress)
    found.sweep()
    return found


def _apart(output: Path, private: Path) -> str:
    """Where the output folder is, seen from the private one."""
    return os.path.relpath(output.resolve(), private.resolve())


class _Stream:
    """The window, and what is known of the rows in it.

    `waiting` are acknowledged, `fresh` have arrived since, both without rows that do not fit.
    `n_rows` have arrived in all; they end at `position`.
    """

    def __init__(
        self, plan: Plan, output: Path, journal: Journal, report: Callable[[StreamBatch], None]
    ) -> None:
        assert plan.delay is not None
        self.plan, self.output, self.journal, self.report = plan, output, journal, report
        self.delay, self.every = plan.delay.rows, plan.delay.batch or plan.delay.rows
        self.waiting, self.fresh = journal.waiting(), Waiting.nobody()
        self.progress = journal.progress
        self.seen = Seen()
        for path in journal.people():
            self.seen.add(read_people(path))
        self.longest = 0
        self.warnings: dict[str, Advice] = {}

    # -- where rows come from

    def pieces(
        self, data: Any, restart: Restart, closing: threading.Event | None, *, follow: bool
    ) -> Iterator[Piece]:
        """The pieces that are still to come."""
        names = [a.name for a in self.plan.schema.attributes if a.role is not Role.DROP]
        inbox = _inbox(self.plan, data)
        if inbox is not None:
            inbox.listed()
            known = self.progress
            begin = From(known.file, known.row, known.taken)
            return pieces_of_folder(inbox, names, begin, follow=follow)
        found = _pieces(data, names, closing)
        if not self.progress.rows or restart == "resume":
            return found
        if restart == "replay":
            return self._skipped(found)
        raise PlanError(
            f"The state already has {self.progress.rows:,} rows, but it is not known which row "
            "the input begins with.",
            hint="Add --replay if it begins with the first row again, or --resume if it continues "
            "after the last.",
        )

    def _skipped(self, pieces: Iterator[Piece]) -> Iterator[Piece]:
        """The pieces after the rows that are acknowledged, which must be the same as before."""
        left, digest = self.progress.rows, (0, 0, 0)
        for piece in pieces:
            n = min(left, piece.frame.height)
            digest = add_digests(digest, self._digest(self._kept(piece.frame[:n])))
            left -= n
            if not left and n and digest != self.progress.digest:
                raise DataError(
                    f"The first {self.progress.rows:,} rows of the input are not those that were "
                    "acknowledged.",
                    "Send the same rows in the same order, or begin a new stream.",
                )
            if n < piece.frame.height:
                yield piece.rest(n)

    def _digest(self, frame: pl.DataFrame) -> tuple[int, int, int]:
        if not frame.height:
            return 0, 0, 0
        n, one, other = sum_digest(hash_columns(frame, sorted(frame.columns)))
        return int(n), int(one), int(other)

    def _kept(self, frame: pl.DataFrame) -> pl.DataFrame:
        return frame.select(kept_columns(self.plan, frame.columns))

    # -- the loop

    def follow(self, ahead: Ahead, stop: Callable[[], bool], *, flush: bool) -> Streamed:
        """Take pieces until none is left, or until asked to stop."""
        stopped, waited = False, 0.0
        try:
            while not ahead.ended:
                piece, waited = ahead.next(_LISTEN), waited + _LISTEN
                if piece is None:
                    if waited >= _PATIENCE or ahead.ended:
                        self._acknowledge()
                else:
                    waited = 0.0
                    self._take(piece, (lambda: False) if ahead.drains else stop)
                if not stopped and stop():
                    stopped = True
                    ahead.close()
        except (DataError, PlanError):
            # What came before the fault is in order, and whoever sent it may not send it again.
            self._acknowledge()
            raise
        self._acknowledge()
        if flush:
            self._publish(flush=True)
        return self._standing(ended=not stopped)

    def _take(self, piece: Piece, stop: Callable[[], bool]) -> None:
        """Add a piece to the window, and make a batch wherever one is due."""
        while True:
            if self.progress.rows - self.progress.cut >= self.every:
                self._publish(flush=False)
            if not piece.frame.height or stop():
                return
            n = min(piece.frame.height, self.progress.cut + self.every - self.progress.rows)
            self._arrive(Piece(piece.frame[:n], piece.file, piece.start, piece.taken))
            piece = piece.rest(n)

    def _arrive(self, piece: Piece) -> None:
        assert self.plan.delay is not None
        frame, known = self._kept(piece.frame), self.progress
        fit = find_unfit(self.plan, frame)
        if self.plan.delay.unfit == "error":
            fit.refuse(known.rows)
        fits = fit.fits
        arrived = known.rows + np.arange(frame.height)
        self.fresh += Waiting(frame, arrived).take(fits)
        digest = known.digest if piece.file else add_digests(known.digest, self._digest(frame))
        unfit = int(np.count_nonzero(~fits))
        self.progress = replace(
            known,
            rows=known.rows + frame.height,
            digest=digest,
            file=piece.file,
            row=piece.start + frame.height,
            taken=piece.taken,
            totals=known.totals + Totals(unfit=unfit),
        )

    def _acknowledge(self) -> None:
        """Make durable what has arrived, if anything has."""
        if self.progress.rows == self.journal.progress.rows:
            return
        self.progress = self.journal.with_segment(self.progress, self.fresh, alone=False)
        self.journal.commit(self.progress)
        self.waiting, self.fresh = self.waiting + self.fresh, Waiting.nobody()

    # -- a batch

    def _publish(self, *, flush: bool) -> None:
        """Make a batch of the window, and go on with whoever is held."""
        window = self.waiting + self.fresh
        n_rows = self.progress.rows
        if not len(window):
            self._commit(Waiting.nobody(), Totals())
            return
        window, again, n_again = self._without_known(window)
        if not len(window):
            self._commit(Waiting.nobody(), Totals(again=again, people_again=n_again))
            return
        may_wait = n_rows + self.every - window.arrived <= self.delay
        if flush:
            may_wait = np.zeros(len(window), dtype=np.bool_)
        number = self.progress.batch + 1
        seed = Seed(self.progress.seed, find_seed(self.plan).origin)
        batch = make_batch(self.plan, window.frame.rechunk(), may_wait, seed, number)
        self.longest = max(self.longest, int((n_rows - window.arrived)[~batch.held].max(initial=0)))
        totals = Totals(
            suppressed=int(np.count_nonzero(batch.left_out)), again=again, people_again=n_again
        )
        if batch.release is None:
            totals += Totals(lost=float(totals.suppressed))
            self._commit(window.take(batch.held), totals)
            return
        release, counts = batch.release, batch.release.counts
        glm = release.measures["glm"]
        totals += Totals(
            published=counts.published + counts.repeated,
            classes=counts.classes,
            lost=glm * counts.rows,
        )
        held = window.take(batch.held)
        name = f"batch-{number:06}"
        # Before the batch is decided: if it never is, the file of its people is not read.
        self._note_people(window.take(~batch.held & ~batch.left_out), number)
        place = self.output / name
        if place.exists():
            raise PlanError(
                f"The output folder has a {name} that this stream has not made.",
                hint="Move it away, or begin a new stream in other folders.",
            )
        # Durable first, then decided, then named: a kill before the state names the draft undoes
        # the batch, and one after it is made good when the stream goes on.
        draft = write_draft(release, place)
        self.progress = replace(self.progress, batch=number, placing=draft.name, place=place.name)
        self._commit(held, totals)
        draft.rename(place)
        settle(self.output)
        self.warnings = {w.code: w for w in release.warnings} | self.warnings
        self.report(
            StreamBatch(
                name,
                release.verdicts,
                counts.published,
                counts.classes,
                glm,
                n_rows,
                len(held),
                release.warnings,
            )
        )

    def _commit(self, held: Waiting, totals: Totals) -> None:
        known = replace(self.progress, cut=self.progress.rows, totals=self.progress.totals + totals)
        self.progress = self.journal.with_segment(known, held, alone=True)
        self.journal.commit(self.progress)
        self.waiting, self.fresh = held, Waiting.nobody()

    def _without_known(self, window: Waiting) -> tuple[Waiting, int, int]:
        """The window, without rows of people who were published if the plan says so; counts."""
        assert self.plan.delay is not None
        people = self._people(window)
        if people is None:
            return window, 0, 0
        known = self.seen.has(people)
        n_people = len(distinct(people[known]))
        if self.plan.delay.again == "publish" or not n_people:
            return window, 0, n_people
        return window.take(~known), int(np.count_nonzero(known)), n_people

    def _note_people(self, published: Waiting, number: int) -> None:
        people = self._people(published)
        if people is not None:
            people = distinct(people)
            self.journal.note_people(number, people)
            self.seen.add(people)

    def _people(self, window: Waiting) -> NDArray[np.uint64] | None:
        individual = self.plan.schema.individual
        return None if individual is None else hash_columns(window.frame, [individual.column])

    def _standing(self, *, ended: bool) -> Streamed:
        known = self.progress
        return Streamed(
            self.output,
            known.rows,
            known.batch,
            known.totals,
            len(self.waiting),
            self.longest,
            ended,
            by_severity([*self.warnings.values(), *_warn_of_people(known.totals)]),
        )


def _warn_of_people(totals: Totals) -> Iterator[Advice]:
    """People who are in several batches, where the plan does not leave them out."""
    if totals.people_again and not totals.again:
        yield advise(
            "composition",
            f"About {totals.people_again:,} times, a person appears again in a later batch. "
            "Anybody who sees both can combine them; no batch protects against this. 'delay: {…, "
            "again: suppress}' leaves such rows out.",
        )


def _inbox(plan: Plan, data: Any) -> Inbox | None:
    """The folder that rows come from, if they come from one."""
    if data is None and plan.source and plan.source != ("-",):
        if len(plan.source) > 1:
            raise PlanError("The source of a stream must be one folder.", hint="Name one.")
        return Inbox(plan.base / plan.source[0], plan.source[0])
    if isinstance(data, str | Path):
        return Inbox(Path(data), str(data))
    return None


def _is_pipe(plan: Plan, data: Any) -> bool:
    return _inbox(plan, data) is None and (data is None or hasattr(data, "fileno"))


def _pieces(data: Any, names: list[str], closing: threading.Event | None) -> Iterator[Piece]:
    if closing is not None:
        pipe: IO[bytes] = sys.stdin.buffer if data is None else data
        return pieces_of_pipe(pipe, names, closing)
    if isinstance(data, Iterable) and not isinstance(data, pl.DataFrame):
        return pieces_of_tables(data)
    raise DataError(
        f"A stream must come from a folder, a file object or an iterable of tables, got "
        f"'{type(data).__name__}' instead.",
        "Put a single table into a list.",
    )
