"""Records of results and parts with changed content and checksums that fit, for tests of their readers."""

from __future__ import annotations

import json
from typing import Any

from ackclock.files.checksum import sealed


def resealed(record: dict[str, Any]) -> str:
    """Return a record as JSON with a checksum that fits."""
    return json.dumps(sealed({name: value for name, value in record.items() if name != "checksum"}))
