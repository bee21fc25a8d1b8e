"""Lines of a text file, plain or .zst."""

import subprocess
from collections.abc import Iterator
from pathlib import Path


def lines(path: Path) -> Iterator[str]:
    if path.suffix == ".zst":
        with subprocess.Popen(["zstdcat", str(path)], stdout=subprocess.PIPE, text=True) as process:
            yield from process.stdout
    else:
        with path.open() as file:
            yield from file
