"""Who may send requests: this machine, this origin, and the browser that opened the one-time link.

Every request passes here before anything else looks at it. Without the cookie that the link is
exchanged for, nothing is shown, whichever path is asked for.
"""

from __future__ import annotations

import secrets
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qs

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
# A report is one file with its style inside; it needs no script and gets none.
REPORT_POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; form-action 'none'; "
    "base-uri 'none'; frame-ancestors 'none'"
)
_HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": POLICY,
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    # With no-referrer a browser would send forms of the studio itself with the origin null.
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
}
_NO_LINK_PAGE = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>shoal studio</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><style>
:root { color-scheme: light dark } body { font: 1rem/1.6 system-ui, sans-serif; max-width: 34rem;
margin: 18vh auto; padding: 0 1.25rem } h1 { font-size: 1.4rem }</style></head><body>
<h1>This studio belongs to whoever started it.</h1>
<p>Open the link that <code>shoal studio</code> printed in its terminal. It works once.</p>
<p>If it was already opened, or the studio was restarted: stop it with Ctrl-C, start it again and
open the new link. Plans and finished runs are kept.</p></body></html>
"""
_SAFE = ("GET", "HEAD")
_NO_LINK = (
    "This studio belongs to the person who started it.\n\nOpen the link that 'shoal studio' "
    "printed. It works once; to open the studio in another browser, stop it with Ctrl-C and start "
    "it again.\n"
)


def _without_link(headers: Headers) -> Response:
    """The answer to a browser or a program without the cookie."""
    if "text/html" not in headers.get("accept", ""):
        return PlainTextResponse(_NO_LINK, 403)
    return HTMLResponse(_NO_LINK_PAGE, 403, {"Content-Security-Policy": REPORT_POLICY})


class Guard:
    """The only way in to an application."""

    def __init__(self, app: ASGIApp, port: int, token: str) -> None:
        self._app = app
        self._hosts = {f"127.0.0.1:{port}", f"localhost:{port}"}
        # Browsers keep cookies by host, whatever the port: two studios must not share a name.
        self._cookie = f"shoal-studio-{port}"
        self._token: str | None = token
        self._session = secrets.token_urlsafe(32)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, or pass a request on to the application."""
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self._app(scope, receive, send)
            return
        refusal = self._refusal(scope)

        async def protected(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    # Reports and static files bring some headers of their own.
                    headers.setdefault(name, value)
            await send(message)

        await (refusal or self._app)(scope, receive, protected)

    def _refusal(self, scope: Scope) -> Response | None:
        """The answer to a request that goes no further; None if it may."""
        headers = Headers(scope=scope)
        # A name that somebody else lets point to this machine (DNS rebinding) is not that of the
        # studio.
        if headers.get("host") not in self._hosts:
            return PlainTextResponse("This address is not that of the studio.\n", 400)
        if self._is_foreign(scope, headers):
            return PlainTextResponse("Requests from another page are refused.\n", 403)
        if self._is_known(headers):
            return None
        return self._exchange(scope) or _without_link(headers)

    def _is_foreign(self, scope: Scope, headers: Headers) -> bool:
        """Whether a page of another origin asks; following a link to a page is no asking."""
        origin = headers.get("origin")
        if origin is not None and origin != f"http://{headers.get('host')}":
            return True
        # Programs and old browsers do not send this; they need the cookie all the same.
        if headers.get("sec-fetch-site", "same-origin") in ("same-origin", "none"):
            return False
        return scope["method"] not in _SAFE or headers.get("sec-fetch-mode") != "navigate"

    def _is_known(self, headers: Headers) -> bool:
        try:
            cookie = SimpleCookie(headers.get("cookie", "")).get(self._cookie)
        except CookieError:
            return False
        given = "" if cookie is None else cookie.value
        return secrets.compare_digest(given.encode(), self._session.encode())

    def _exchange(self, scope: Scope) -> Response | None:
        """The cookie for the token of the link, which is worth nothing afterwards."""
        given = parse_qs(scope["query_string"].decode("latin-1")).get("token", [""])[0]
        if self._token is None or scope["method"] != "GET" or scope["path"] != "/":
            return None
        if not secrets.compare_digest(given.encode(), self._token.encode()):
            return None
        self._token = None
        answer = RedirectResponse("/", 303)
        # Not 'secure': the studio speaks plain HTTP, which does not leave this machine.
        answer.set_cookie(self._cookie, self._session, httponly=True, samesite="strict", path="/")
        return answer
