"""Errors and their problems."""

from __future__ import annotations

import pickle

import pytest

from shoal.errors import (
    DataError,
    InfeasibleError,
    PlanError,
    Problem,
    ShoalError,
    VerificationError,
    place_of,
)


@pytest.mark.parametrize(
    ("problem", "text"),
    [
        (Problem("Wrong."), "Wrong."),
        (Problem("Wrong.", hint="Mend it."), "Wrong. Mend it."),
        (Problem("Wrong.", "privacy[0]"), "privacy[0]: Wrong."),
        (Problem("Wrong.", line=3), "line 3: Wrong."),
        (Problem("Wrong.", "privacy[0]", "Mend it.", 3), "line 3, privacy[0]: Wrong. Mend it."),
    ],
)
def test_a_problem_names_its_place_and_what_to_do(problem: Problem, text: str) -> None:
    assert str(problem) == text


def test_an_error_lists_every_problem() -> None:
    problems = [Problem("One."), Problem("Two.", hint="Mend it.")]
    for given in (problems, tuple(problems), iter(problems)):
        error = DataError(given)
        assert error.problems == tuple(problems)
        assert str(error) == "One.\nTwo. Mend it."
    assert PlanError("One.", "Mend it.").problems == (Problem("One.", hint="Mend it."),)
    assert PlanError(problems[0]).problems == (problems[0],)


@pytest.mark.parametrize(
    ("kind", "code"),
    [(PlanError, 2), (DataError, 2), (InfeasibleError, 1), (VerificationError, 1)],
)
def test_an_error_keeps_its_problems_and_code_between_processes(
    kind: type[ShoalError], code: int
) -> None:
    error = kind([Problem("One.", "here", "Mend it.", 3), Problem("Two.")])
    again = pickle.loads(pickle.dumps(error))  # noqa: S301
    assert type(again) is kind
    assert (again.problems, str(again)) == (error.problems, str(error))
    assert again.exit_code == code


def test_the_place_of_an_error_is_the_innermost_in_shoal_but_for_who_caught_it() -> None:
    def fail(module: str, deeper: list[str]) -> None:
        source = "fail(*rest)" if deeper else "1 / 0"
        names: dict[str, object] = {"__name__": module, "fail": fail}
        names["rest"] = (deeper[0], deeper[1:]) if deeper else ()
        exec(source, names)  # noqa: S102

    def place(modules: list[str]) -> str:
        try:
            fail(modules[0], modules[1:])
        except ZeroDivisionError as error:
            return place_of(error, "shoal.cli.failure")
        raise AssertionError

    assert place(["shoal.cli.failure", "shoal.table.code", "polars"]).startswith("shoal.table.code")
    assert place(["shoal.cli.failure", "polars"]) == "shoal"
