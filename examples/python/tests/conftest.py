import os
from pathlib import Path

import pytest

from murmur_fence import Fence

COMPONENTS = Path(__file__).parents[3] / "target" / "components"


@pytest.fixture(scope="session")
def path():
    return Path(os.environ.get("MURMUR_FENCE_COMPONENT") or COMPONENTS / "murmur-fence.wasm")


@pytest.fixture(scope="session")
def fence(path):
    return Fence(path)
