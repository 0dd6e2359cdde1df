"""The server: one socket on this machine's own address."""

from __future__ import annotations

import socket
from typing import TYPE_CHECKING

from pytest_poisson.errors import UserError

if TYPE_CHECKING:
    from collections.abc import Callable

    from poisson_store import Store

ADDRESS = "127.0.0.1"
THREADS = 4


def serve(store: Store, port: int, *, named: str | None, announce: Callable[[str], None]) -> None:
    """Serve a store until Ctrl-C.

    Parameters
    ----------
    store, named
        As `Browser` takes them.
    port
        Where to listen; 0 for any that is free.
    announce
        Told the address as soon as it takes requests.

    Raises
    ------
    UserError
        If the store is a file, the port cannot be had, or the packages of the extra are missing.
    """
    if store.path.is_file():
        raise UserError(f"Store '{store.path}' is a file; a store is a directory.")
    try:
        from waitress import create_server

        from pytest_poisson.serve.app import Browser
    except ImportError as missing:
        raise UserError(
            f"serve needs the package {str(missing.name).partition('.')[0]}; pip install 'pytest-poisson[ui]' brings it."
        ) from None
    listening = _listen(port)
    port = listening.getsockname()[1]
    server = create_server(
        Browser(store, port, named=named),
        sockets=[listening],
        threads=THREADS,
        ident=None,
        clear_untrusted_proxy_headers=True,
    )
    announce(f"http://{ADDRESS}:{port}/")
    try:
        server.run()  # it returns at Ctrl-C
    finally:
        server.close()


def _listen(port: int) -> socket.socket:
    """Return a socket that listens here and nowhere else."""
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((ADDRESS, port))
    except (OSError, OverflowError) as problem:
        listening.close()
        reason = getattr(problem, "strerror", None) or str(problem)
        raise UserError(
            f"--port={port} cannot be used ({reason.lower()}); --port=0 takes any that is free."
        ) from None
    return listening
