"""The demo as a folder: tables, hierarchies and plans that run as they are."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path
from typing import NamedTuple

from shoal._command.demo.diagnosis import diagnoses
from shoal._command.demo.illness import diagnosis_rows, ward_rows
from shoal._command.demo.patient import check_size, generate
from shoal.errors import PlanError
from shoal.hierarchy import Hierarchy


class Demo(NamedTuple):
    """A plan of the demo, the system that it shows, and what to look at in its release."""

    plan: str
    system: str
    look: str


DEMOS = (
    Demo(
        "patients-personal",
        "a k for everyone (MKS3WD)",
        "Groups of two stand next to groups of eight: everybody is hidden as deeply as they ask. "
        "The private report counts how many people ask for each size.",
    ),
    Demo(
        "patients-secret",
        "secret cells (LGB)",
        "Some postcodes and incomes are empty in data.csv and have the number of a bucket "
        "instead; buckets-income.csv shows the exact incomes in each bucket, but not whose they "
        "are.",
    ),
    Demo(
        "diagnoses-people",
        "several rows per person (EIR)",
        "Id_num says which rows belong to the same person. In no group does everybody have one of "
        "two diagnoses; a rule that counts rows would allow that.",
    ),
    Demo(
        "patients-graph",
        "groups in a graph (weighted graph)",
        "The ranges of ages are narrow, although no hierarchy was given for them: open the report "
        "to see how much is left of each column.",
    ),
    Demo(
        "patients-flags",
        "flagged values (QI-MHSA)",
        "Addiction and HIV show as *, depression only as a mood disorder, and the other diagnoses "
        "as they are; so do high, middle and low incomes.",
    ),
)
PLANS = tuple(f"{demo.plan}.yaml" for demo in DEMOS)


def write_demo(
    folder: str | Path, people: int = 5_000, seed: int = 7, *, force: bool = False
) -> list[Path]:
    """Write the tables, the hierarchies and the plans; returns the paths of the plans.

    Raises PlanError if the folder is not empty; with `force`, if it holds anything but a demo.
    """
    folder = Path(folder)
    check_size(people, seed)
    _check_folder(folder, force)
    hierarchies = folder / "hierarchies"
    hierarchies.mkdir(parents=True, exist_ok=True)
    generate(people, seed).write_csv(folder / "patients.csv")
    diagnoses(people, seed).write_csv(folder / "diagnoses.csv")
    for name, rows in (("diagnosis", diagnosis_rows()), ("ward", ward_rows())):
        Hierarchy.rows(rows).write(hierarchies / f"{name}.csv", [row[0] for row in rows])
    for name in PLANS:
        text = files("shoal._command.demo").joinpath("plans", name).read_text(encoding="utf-8")
        (folder / name).write_text(text, encoding="utf-8")
    return [folder / name for name in PLANS]


def _check_folder(folder: Path, force: bool) -> None:
    if not folder.exists():
        return
    if not folder.is_dir():
        raise PlanError(f"The demo folder {folder} is a file.", "Choose another folder.")
    if not any(folder.iterdir()):
        return
    if not force:
        raise PlanError(
            f"The demo folder {folder} already exists.",
            "Choose another folder, or replace this one with --force.",
        )
    if not all((folder / name).is_file() for name in PLANS):
        raise PlanError(
            f"The demo folder {folder} contains something other than a demo of shoal.",
            "Choose another folder: this one is not replaced, even with --force.",
        )
