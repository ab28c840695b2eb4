"""`shoal audit`: is a release folder what it claims to be?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from shoal.cli import show
from shoal.cli.failure import DONE, UNMET, UsageError
from shoal.cli.file import check_page, write_whole
from shoal.cli.option import (
    Json,
    Quiet,
    ReleasePath,
    ShowValues,
    plot_page,
    private_folder,
    release_plan,
)
from shoal.cli.progress import Stages
from shoal.schema.wording import VERDICTS, brief_of, percent

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shoal._command.audit import Audit, Claim, Inspection
    from shoal.attack import Gain
    from shoal.cli.terminal import Terminal

# Two notes of verdicts: the first is not a reason, the second holds with the original as well.
_BY_BUCKET = "by bucket"
_SYMBOLS = "not checkable: its values are shown as symbols"


def audit(
    folder: ReleasePath,
    original: Annotated[
        str | None,
        typer.Option(
            "--original",
            metavar="DATA",
            help="The table that the release was made from: a file or a glob.",
        ),
    ] = None,
    private: Annotated[
        Path | None,
        private_folder(
            help="The private folder of the same run: together with the original, it proves "
            "everything."
        ),
    ] = None,
    plan: Annotated[
        Path | None,
        release_plan(
            help="The plan of the release, which says what the labels of hierarchies cover."
        ),
    ] = None,
    person: Annotated[
        int | None,
        typer.Option(
            "--person",
            metavar="ROW",
            help="Show instead what the release gives away about the person in this row of the "
            "original, counted from 1. For releases of lgb-mdp and lgb-ncp.",
        ),
    ] = None,
    register: Annotated[
        str | None,
        typer.Option(
            "--register",
            metavar="FILE",
            help="A register of people, against which the journalist's attack is measured.",
        ),
    ] = None,
    beside: Annotated[
        Path | None,
        typer.Option(
            "--with",
            metavar="FOLDER",
            help="Another release of the same people: what do the two give away together?",
        ),
    ] = None,
    replay: Annotated[
        int,
        typer.Option(
            "--replay",
            metavar="N",
            min=0,
            help="Replay the method of --plan in N possible tables (minimality). Each costs a "
            "run, so this is for small tables.",
        ),
    ] = 0,
    certificate: Annotated[
        Path | None,
        typer.Option(
            "--certificate",
            metavar="FILE",
            help="Write the findings as a certificate of exactly this release.",
        ),
    ] = None,
    key: Annotated[
        Path | None,
        typer.Option(
            "--key",
            metavar="FILE",
            help="An Ed25519 key in PEM: a private key signs the certificate; with --verify, the "
            "public key shows who signed it.",
        ),
    ] = None,
    verify: Annotated[
        Path | None,
        typer.Option(
            "--verify", metavar="FILE", help="Verify a certificate of this release instead."
        ),
    ] = None,
    plot: Annotated[
        Path | None,
        plot_page(help="Write the findings as an HTML page."),
    ] = None,
    strict: Annotated[
        bool,
        typer.Option("--strict", help="Also exit with 1 if any question stays open."),
    ] = False,
    quiet: Quiet = False,
    json: Json = False,
    show_values: ShowValues = False,
) -> int:
    """Read a release again and check what it claims.

    First its integrity: the folder holds the files of the manifest, unchanged, and nothing else,
    and the report follows from them. Then every requirement, from the published table. Where the
    table hides what a requirement is about, the answer is 'open', never 'holds'. With --original,
    every published row must be a row of the original: its labels cover the row, its unchanged cells
    agree, and no row appears twice. --plan adds what the labels of hierarchies cover, and --private
    which row is whose, so that nothing remains open.
    Exit code 1 if anything is wrong with the release (with --strict also if anything stays open),
    2 if it has no manifest that can be read.

    With --person, find the published rows that can be one person, as somebody who knows everything
    about everybody except the secrets would; exit code 1 if that gives away more than allowed.

    \b
    Examples:
      shoal audit release
      shoal audit release --original people.csv
      shoal audit release --original people.csv --private own --strict
      shoal audit release --original people.csv --register register.csv
      shoal audit release --original people.csv --plan plan.yaml --replay 200
      shoal audit release --original people.csv --plot risk.html
      shoal audit release --original people.csv --certificate audit.json --key key.pem
      shoal audit release --verify audit.json --key public.pem
      shoal audit release --json | jq '.claims[] | select(.holds == null)'
      shoal audit release --original people.csv --private own --person 17
    """
    if person is not None or show_values:
        return _look_for(folder, original, private, person, quiet, json, show_values)
    if verify is not None:
        return _verify(folder, verify, key, quiet, json, strict)
    if key is not None and certificate is None:
        raise UsageError("--key needs a certificate to sign or to verify.", hint="Add either.")
    if plot is not None:
        # Before the audit, which may take long.
        check_page(plot, "--plot")
    with Stages(quiet) as stages, stages("auditing"):
        from shoal._command.audit import audit as look

        found = look(
            folder,
            original,
            plan=plan,
            private=private,
            register=register,
            beside=beside,
            replay=replay,
        )
    if plot is not None:
        from shoal._command.audit.page import audit_page

        write_whole(plot, audit_page(found))
    if certificate is not None:
        from shoal._command.audit.certificate import certify

        given = {
            "original": original,
            "plan": plan,
            "private": private,
            "register": register,
            "with": beside,
        }
        known = tuple(name for name, one in given.items() if one is not None)
        write_whole(certificate, certify(found, known, key))
    if json:
        _print_data(found, original)
    elif not quiet:
        _print_audit(found, original)
    return _code(found.verdict, strict)


def _code(holds: bool | None, strict: bool) -> int:
    """The exit code: what is open counts as a failure only if that is asked for."""
    return DONE if holds or (holds is None and not strict) else UNMET


def _verify(
    folder: Path, path: Path, key: Path | None, quiet: bool, json: bool, strict: bool
) -> int:
    """Verify a certificate, and say what it states."""
    from shoal._command.audit.certificate import verify_certificate

    found = verify_certificate(folder, path, key)
    if json:
        problems = [show.problem_data(problem) for problem in found.problems]
        show.print_json(
            {
                "verdict": VERDICTS[found.holds],
                "note": found.note,
                "problems": problems,
                "statement": found.statement,
            }
        )
    elif not quiet:
        out = show.out()
        out.listing("Findings", list(map(str, found.problems)), "red")
        said = found.statement.get("verdict")
        if found.holds is False:
            out.conclude(False, "Does not hold: this is not a certificate of this release")
        else:
            whose = "Open: " + found.note if found.holds is None else "Holds: it is genuine"
            out.conclude(found.holds, whose, f". It states that the release {said!r}.")
    return _code(found.holds, strict)


def _look_for(
    folder: Path,
    original: str | None,
    private: Path | None,
    person: int | None,
    quiet: bool,
    json: bool,
    show_values: bool,
) -> int:
    """Look for one person, if everything needed is given."""
    from shoal.cli.person import look_for

    given = {"--original DATA": original, "--private FOLDER": private, "--person ROW": person}
    absent = [option for option, value in given.items() if value is None]
    if original is None or private is None or person is None:
        raise UsageError(
            "--person needs the original, the private folder of the run and a row, but "
            f"{' and '.join(absent)} {'is' if len(absent) == 1 else 'are'} not given.",
            hint=f"Add {' '.join(absent)}.",
        )
    found = look_for(folder, original, private, person, quiet, json, show_values)
    return DONE if found.within else UNMET


def _print_data(found: Audit, original: str | None) -> None:
    from dataclasses import asdict

    show.print_json(
        {
            "verdict": VERDICTS[found.verdict],
            "holds": found.holds,
            "complete": found.complete,
            "folder": found.folder,
            "original": original,
            "findings": [show.problem_data(problem) for problem in found.findings],
            "claims": [asdict(claim) for claim in found.claims],
            "checks": [asdict(check) for check in found.checks],
            "attacks": [asdict(gain) for gain in found.gains],
            "unlike": [show.problem_data(problem) for problem in found.unlike],
            "notes": list(found.notes),
        }
    )


def _print_audit(found: Audit, original: str | None) -> None:
    out = show.out()
    _print_integrity(out, found)
    if found.claims:
        out.say()
        _print_claims(out, found.claims)
    _print_checks(out, found.checks)
    out.listing("Why", _reasons(found.claims))
    out.listing("Wrong claims", list(map(str, found.unlike)), "red")
    _print_gains(out, found.gains)
    out.listing("Taken on trust", found.notes)
    out.say()
    _print_end(out, found, original)


def _print_integrity(out: Terminal, found: Audit) -> None:
    if found.findings:
        n = show.count(len(found.findings), "finding")
        out.conclude(False, f"The folder was changed after it was written: {n}")
        out.listing("Findings", list(map(str, found.findings)), "red")
        return
    files = show.count(len(found.manifest.files), "file")
    text = f"The folder holds the {files} of the manifest, unchanged, and nothing else"
    out.say(f"{out.signs[True]} {text}", "green")


def _print_claims(out: Terminal, claims: Sequence[Claim]) -> None:
    out.requirements(
        [(claim.requirement, claim.attribute) for claim in claims],
        {
            "Required": [show.number(claim.asked) for claim in claims],
            "Claimed": [show.number(claim.claimed) for claim in claims],
            "Recounted": [show.number(claim.recounted) for claim in claims],
        },
        [claim.holds for claim in claims],
    )


def _print_checks(out: Terminal, checks: Sequence[Inspection]) -> None:
    for check in checks:
        note = f" ({check.note})" if check.note and check.holds is None else ""
        out.conclude(check.holds, f"{check.text}: {VERDICTS[check.holds]}{note}")


def _print_gains(out: Terminal, gains: Sequence[Gain]) -> None:
    """What attacks gain, each next to its bound, what guessing gives, and people not there."""
    if not gains:
        return
    out.say()
    heads = ("Attack", "About", "Right", "Guessing", "Control", "Worst", "Promised")
    rows = [
        (
            gain.attack,
            gain.about,
            "{} ({}–{})".format(*(percent(x, 2) for x in (right.share, right.low, right.high))),
            percent(gain.baseline.share, 2),
            "–" if gain.control is None else percent(gain.control.share, 2),
            percent(gain.worst, 2),
            _promised(gain),
        )
        for gain in gains
        for right in (gain.success,)
    ]
    out.table(heads, rows)
    less = (
        ("; in brackets: promised against a weaker adversary")
        if any(g.beside for g in gains)
        else ""
    )
    out.say(f"Worst: the highest chance of any person{less}", "dim")
    out.listing("Attacks", [f"{gain.attack}, {gain.about}: {gain.note}" for gain in gains])
    controls: dict[str, list[str]] = {}
    for gain in gains:
        if gain.strangers:
            controls.setdefault(gain.strangers, []).append(gain.attack)
    who = [f"{', '.join(dict.fromkeys(names))}: {text}" for text, names in controls.items()]
    out.listing("Control", who)
    broken = [gain for gain in gains if gain.holds is False]
    for gain in broken:
        text = (
            f"{gain.attack}, {gain.about}: at most {percent(gain.bound, 2)} was promised, but the "
            "person most at risk "
        )
        out.conclude(False, f"{text}has {percent(gain.worst, 2)}")


def _promised(gain: Gain) -> str:
    if gain.bound is None:
        return "–"
    return f"(≤ {percent(gain.bound, 2)})" if gain.beside else f"≤ {percent(gain.bound, 2)}"


def _reasons(claims: Sequence[Claim]) -> list[str]:
    """Every reason once, with the requirements that it is about."""
    about: dict[str, list[str]] = {}
    for claim in claims:
        if claim.note and claim.note != _BY_BUCKET:
            name = brief_of(claim.requirement, claim.attribute)
            about.setdefault(claim.note, []).append(name)
    return [
        f"{names[0]}: {note}."
        if len(names) == 1
        else f"{len(names)} requirements ({'; '.join(names)}): {note}."
        for note, names in about.items()
    ]


def _print_end(out: Terminal, found: Audit, original: str | None) -> None:
    from shoal._command.audit.page import lead_of

    unclear = [one for one in found.asked if one.holds is None]
    if not found.holds:
        lead = lead_of(found)
        out.conclude(False, f"Does not hold: {lead[0].lower()}{lead[1:].rstrip('.')}")
        return
    if unclear:
        n, total = len(unclear), len(found.asked)
        are = "is" if n == 1 else "are"
        out.conclude(None, f"Open: {n} of {total} questions {are} not answered")
    elif original is None:
        text = "The files agree with each other; only the original can show whether they are true"
        out.conclude(True, text)
    else:
        out.conclude(True, "Holds: every requirement is met, and every cell is true")
    # Symbols stay open with the original, too.
    if original is None and any(one.note != _SYMBOLS for one in unclear):
        out.say("--original DATA answers the questions that need the original", "dim")
