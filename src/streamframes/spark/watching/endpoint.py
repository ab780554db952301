"""The endpoint: figures over HTTP, for Prometheus to fetch."""

from __future__ import annotations

from collections.abc import Callable
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

from streamframes.errors import StreamFramesError
from streamframes.spark.watching.exposition import CONTENT_TYPE

PATH = "/metrics"


class Endpoint:
    """A server with one page, and the thread that it runs in."""

    def __init__(self, server: ThreadingHTTPServer) -> None:
        self._server = server
        self._thread = Thread(target=server.serve_forever, name="streamframes-metrics", daemon=True)
        self._thread.start()

    @property
    def url(self) -> str:
        """The address of the page."""
        host, port = self._server.server_address[:2]
        return f"http://{host!s}:{port}{PATH}"

    def close(self) -> None:
        """Stop serving."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


def serve(text: Callable[[], str], host: str, port: int) -> Endpoint:
    """Serve a text under /metrics."""

    class Handler(BaseHTTPRequestHandler):
        """Answers one request."""

        def do_GET(self) -> None:
            """The page, or that there is none of this name."""
            if self.path.partition("?")[0] != PATH:
                self.send_error(HTTPStatus.NOT_FOUND)
                return
            body = text().encode()
            self.send_response(HTTPStatus.OK)
            self.send_header("Content-Type", CONTENT_TYPE)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            """Requests are not logged: one comes every few seconds."""

    try:
        return Endpoint(ThreadingHTTPServer((host, port), Handler))
    except (OSError, OverflowError) as error:
        raise StreamFramesError(f"serve() cannot listen on {host}:{port}: {error}") from error
