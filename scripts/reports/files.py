# SPDX-License-Identifier: Apache-2.0
"""Files that are there as a whole or not at all, and never in place of somebody else's."""
import os
import signal
import tempfile

TITLE = "T3: the paper's evaluation, reproduced"  # stands in every file of ours, near its beginning, but for
CSV_HEADING = "mode,window_begin_ns,window_end_ns"  # data: these begin with this


class NotOurs(Exception):
    pass


def require_own(path):
    """Raises NotOurs if there is a file of that name that scripts/report did not write."""
    try:
        begin = path.read_bytes()[:20_000]
    except FileNotFoundError:
        return
    except OSError as error:
        raise NotOurs(f"{path}: {error.strerror}") from None
    if begin and TITLE.encode() not in begin and not begin.startswith(CSV_HEADING.encode()):
        raise NotOurs(f"{path}: expected no file of this name but one of scripts/report; another directory, or the file "
                      "removed, lets it be drawn")


def write(contents):
    """Bytes by path: all, or on an error none. Ctrl-C waits until they are there."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGINT, signal.SIGTERM, signal.SIGHUP))
    parts = []
    try:
        for path, content in contents.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            descriptor, part = tempfile.mkstemp(prefix=f"{path.name}.t3-", dir=path.parent)
            parts.append(part)
            with os.fdopen(descriptor, "wb") as stream:
                stream.write(content)
            os.chmod(part, 0o644)
        for path in contents:
            os.replace(parts[0], path)
            del parts[0]
    finally:
        for part in parts:
            os.unlink(part)
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
