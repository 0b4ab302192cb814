"""A package index on this machine that behaves as a real one may: it answers, or does not."""

from __future__ import annotations

import hashlib
import threading
import zipfile
from base64 import urlsafe_b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import quote, unquote, urlsplit


@dataclass
class PackageIndex:
    """What a server has, how it behaves, and what it was asked for."""

    folder: Path
    behaviour: str = "answers"
    asked: list[str] = field(default_factory=list)
    address: str = ""
    ended: threading.Event = field(default_factory=threading.Event)

    def page(self, package: str) -> bytes:
        files = sorted(self.folder.glob(f"{package.replace('-', '_')}-*.whl"))
        links = (f'<a href="/files/{quote(file.name)}">{file.name}</a>' for file in files)
        return f"<!DOCTYPE html><html><body>{''.join(links)}</body></html>".encode()


@contextmanager
def serve(folder: Path, behaviour: str = "answers") -> Iterator[PackageIndex]:
    """Serve the wheels of a folder; `behaviour` is answers, hangs, drips or fails."""
    index = PackageIndex(folder, behaviour)

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            index.asked.append(self.path)
            if index.behaviour == "hangs":
                index.ended.wait()
                return
            if index.behaviour == "fails":
                self.send_error(503)
                return
            kind, _, name = urlsplit(self.path).path.strip("/").rpartition("/")
            is_file = kind == "files"
            body = (folder / unquote(name)).read_bytes() if is_file else index.page(name)
            self.send_response(200)
            self.send_header("Content-Type", "application/zip" if is_file else "text/html")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            if index.behaviour == "drips":
                self.drip(body)
            else:
                self.wfile.write(body)

        def drip(self, body: bytes) -> None:
            for byte in body:
                if index.ended.wait(0.2):
                    return
                try:
                    self.wfile.write(bytes([byte]))
                except OSError:
                    return

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    index.address = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, args=(0.05,))
    thread.start()
    try:
        yield index
    finally:
        index.ended.set()
        server.shutdown()
        server.server_close()
        thread.join()


def write_wheel(folder: Path, name: str, version: str, needs: tuple[str, ...] = ()) -> Path:
    """A wheel of one module that holds its version, with what pip wants to know of it."""
    module = name.replace("-", "_")
    info = f"{module}-{version}.dist-info"
    headers = [f"Name: {name}", f"Version: {version}", *(f"Requires-Dist: {n}" for n in needs)]
    files = {
        f"{module}.py": f"version = {version!r}\n",
        f"{info}/METADATA": "\n".join(["Metadata-Version: 2.1", *headers, ""]),
        f"{info}/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    record = [f"{path},{_digest(text)},{len(text)}" for path, text in files.items()]
    files[f"{info}/RECORD"] = "\n".join([*record, f"{info}/RECORD,,", ""])
    wheel = folder / f"{module}-{version}-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        for path, text in files.items():
            archive.writestr(path, text)
    return wheel


def _digest(text: str) -> str:
    raw = hashlib.sha256(text.encode()).digest()
    return "sha256=" + urlsafe_b64encode(raw).rstrip(b"=").decode()
