# SPDX-License-Identifier: Apache-2.0
"""Files that are there as a whole or not at all, and never in place of somebody else's."""
import os
import tempfile

TITLE = "T3: the paper's evaluation, reproduced"  # of a page that is ours


class NotOurs(Exception):
    pass


def require_own(path):
    """Raises NotOurs if there is a file of that name without its title."""
    try:
        begin = path.read_bytes()[:20_000]
    except FileNotFoundError:
        return
    except OSError as error:
        raise NotOurs(f"{path}: {error.strerror}") from None
    if begin and TITLE.encode() not in begin:
        raise NotOurs(f"{path}: expected no file of this name but a report; another directory, or the file removed, "
                      "lets it be drawn")


def write(path, content):
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor, part = tempfile.mkstemp(prefix=f"{path.name}.t3-", dir=path.parent)
    try:
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(content)
        os.chmod(part, 0o644)
        os.replace(part, path)
    except BaseException:
        os.unlink(part)
        raise
