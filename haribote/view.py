"""`haribote view`: a graph in Netron, served by a local server on this machine only."""

from __future__ import annotations

import time
from pathlib import Path

from haribote.errors import GraphError
from haribote.graph import load


def view_command(file: Path, port: int) -> int:
    """Serve the graph on localhost until interrupted; the exit status. Raises GraphError for another file."""
    import netron

    load(file)  # a wrong file gets our message, not an empty page
    address = netron.start(str(file), address=("localhost", port) if port else None, browse=False)
    if address is None:
        raise GraphError(f"Netron could not open {file}", "`pip install -U netron`")
    print(f"{file}: open http://{address[0]}:{address[1]} in a browser; Ctrl-C stops the server", flush=True)
    try:
        while True:
            time.sleep(3600)
    except KeyboardInterrupt:
        netron.stop()
        return 0
