"""Flag rules: which values of a sensitive column are published whole, coarser or not at all."""

from __future__ import annotations

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from shoal.studio.ask import draft_of, form_of, store_of, to
from shoal.studio.rule import rules_given


async def set_rules(request: Request) -> Response:
    """Take the rules that a form says into the plan."""
    plan, draft = draft_of(request)
    names = list(draft.attributes)
    place = request.path_params["column"]
    if place >= len(names):
        raise HTTPException(404)
    name = names[place]
    rules = rules_given(await form_of(request), draft.attributes[name].get("flags"))
    store_of(request).change_plan(plan.id, text=draft.with_attribute(name, flags=rules))
    return to(f"/plans/{plan.id}/personal")


ROUTES = [Route("/plans/{plan:int}/flags/{column:int}", set_rules, methods=["POST"])]
