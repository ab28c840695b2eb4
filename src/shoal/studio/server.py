"""Starting the studio: a free port, a one-time link, and the browser."""

from __future__ import annotations

import secrets
import socket
import threading
import webbrowser
from collections.abc import Callable
from pathlib import Path

from shoal.errors import DataError

ADDRESS = "127.0.0.1"
PORT = 8765


def serve(
    folder: Path,
    port: int | None = None,
    *,
    browser: bool = True,
    tell: Callable[[str], None] = lambda link: None,
) -> None:
    """Serve the studio of a folder until the process is ended; `tell` gets the link."""
    import uvicorn

    from shoal.studio.app import make_app

    # Opened before the link is made, which names the port, and kept: nobody can take it meanwhile.
    listener = listen(port)
    chosen = listener.getsockname()[1]
    token = secrets.token_urlsafe(32)
    app = make_app(folder, chosen, token)
    # A log of requests would hold the token, so none is kept.
    config = uvicorn.Config(
        app, access_log=False, log_level="critical", server_header=False, ws="none", lifespan="on"
    )
    link = f"http://{ADDRESS}:{chosen}/?token={token}"
    tell(link)
    if browser:
        # In a thread, as some browsers return only when they are closed, and this one must serve.
        threading.Thread(target=webbrowser.open, args=(link,), daemon=True).start()
    uvicorn.Server(config).run([listener])


def listen(port: int | None) -> socket.socket:
    """A socket on this machine alone; without a port the usual one, or any that is free."""
    wanted = [PORT, 0] if port is None else [port]
    for number in wanted:
        listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        # The system keeps the port of a studio that was just stopped for a while.
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((ADDRESS, number))
            listener.listen()
        except OSError:
            listener.close()
            continue
        return listener
    raise DataError(
        f"The port {port} must be free, but another program uses it.",
        hint="Leave --port out to use a free port.",
    )
