"""What a command is doing right now, on stderr if that is a terminal."""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Self

from shoal.cli.standard import signs

if TYPE_CHECKING:
    from rich.progress import Progress


_LOG = logging.getLogger("shoal.kernels")
_POLISH = logging.getLogger("shoal.polish")


class _Line(logging.Handler):
    """What kernels tell, that they are being compiled, as a line on stderr."""

    def emit(self, record: logging.LogRecord) -> None:
        sys.stderr.write(f"{record.getMessage()}\n")


class _Falling(logging.Handler):
    """What polished classes lose by now, next to the name of the stage."""

    def __init__(self, bars: Progress) -> None:
        super().__init__()
        self._bars = bars

    def emit(self, record: logging.LogRecord) -> None:
        if self._bars.tasks:
            last = self._bars.tasks[-1]
            # The message before stands there already.
            name = last.description.partition(" (")[0]
            self._bars.update(last.id, description=f"{name} ({record.getMessage()})")


class Stages:
    """The stages of a command, one line each while it lasts; a context manager.

    An instance is what `shoal.run` takes as `progress`. Nothing is shown with `quiet`, or if stderr
    is not a terminal, but that kernels are being compiled; errors of the machine are marked with
    their stage either way.
    """

    def __init__(self, quiet: bool = False) -> None:
        self._bars = None if quiet or not sys.stderr.isatty() else _bars()
        self._handler = None if quiet else _Line()
        self._falling = None if self._bars is None else _Falling(self._bars)

    def __enter__(self) -> Self:
        if self._handler is not None:
            _LOG.setLevel(logging.INFO)
            _LOG.addHandler(self._handler)
        if self._bars is not None and self._falling is not None:
            self._bars.start()
            _POLISH.setLevel(logging.INFO)
            _POLISH.addHandler(self._falling)
        return self

    def __exit__(self, *_: object) -> None:
        if self._bars is not None and self._falling is not None:
            self._bars.stop()
            _POLISH.removeHandler(self._falling)
            _POLISH.setLevel(logging.NOTSET)
        if self._handler is not None:
            _LOG.removeHandler(self._handler)

    @contextmanager
    def __call__(self, name: str) -> Iterator[None]:
        """Show that a stage has begun, and then that it is over."""
        bar = None if self._bars is None else self._bars.add_task(name, total=None)
        try:
            yield
        except (OSError, MemoryError) as error:
            error.add_note(f"while {name}")
            raise
        if self._bars is not None and bar is not None:
            self._bars.update(bar, total=1, completed=1)


class ShareColumn:
    """How much of a long piece of work is done, and the time that is left; a context manager.

    An instance is called with the number of parts that are done, and of all. An error of the
    machine is marked with what is kept.
    """

    def __init__(self, name: str, quiet: bool = False) -> None:
        self._bar = None if quiet or not sys.stderr.isatty() else _share_bar()
        self._task = None if self._bar is None else self._bar.add_task(name, total=None)

    def __enter__(self) -> Self:
        if self._bar is not None:
            self._bar.start()
        return self

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        if self._bar is not None:
            self._bar.stop()
        if isinstance(error, OSError):
            error.add_note("What was computed is kept. Fix the cause and run the command again: it "
                           "goes on where it stopped.")  # fmt: skip

    def __call__(self, done: int, total: int) -> None:
        """Show how many parts are done."""
        if self._bar is not None and self._task is not None:
            self._bar.update(self._task, completed=done, total=total)


def _share_bar() -> Progress:
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    return Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("left:"),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        # Plans may take minutes: if none ends in rich's usual 30 seconds, it knows no speed.
        speed_estimate_period=600,
        transient=True,
    )


def _bars() -> Progress:
    from rich.console import Console
    from rich.progress import Progress, ProgressColumn, SpinnerColumn, Task, TextColumn
    from rich.text import Text

    class Seconds(ProgressColumn):
        """How long a stage has taken."""

        def render(self, task: Task) -> Text:
            seconds = task.finished_time if task.finished else task.elapsed
            return Text(f"{seconds or 0:.1f} s", style="dim")

    return Progress(
        SpinnerColumn(finished_text=f"[green]{signs(sys.stderr)[True]}[/green]"),
        TextColumn("{task.description}", markup=False),
        Seconds(),
        console=Console(stderr=True),
        transient=True,
    )
