"""A leak between blocks: the special cases it must agree with, and what is no longer claimed."""

import numpy as np
import pytest

from presets import quantities
from presets.load import validate
from presets.report import report
from presets.schema import Scenario

ROUNDOFF = 1e-12


def scenario(kernel: dict, blocks: int = 3) -> Scenario:
    family = {"kind": "tied", "multipliers": [1.2, 0.6], "value": [0.9, 0.1], "shear": 0.3}
    return validate({"depth": 40, "blocks": blocks, "block_length": 8, "kernel": kernel, "family": family})


def curves(found: Scenario) -> np.ndarray:
    return quantities.fluctuation_norms(found).log_absolute


@pytest.mark.parametrize("kernel", [{"kind": "leaky", "leak": 0.0}])
def test_no_leak_is_the_causal_kernel(kernel: dict) -> None:
    causal = scenario({"kind": "causal"})
    assert np.array_equal(curves(scenario(kernel)), curves(causal))
    assert quantities.fluctuation_rate(scenario(kernel)) == quantities.fluctuation_rate(causal)


def test_one_block_has_nothing_to_leak_to() -> None:
    alone = scenario({"kind": "leaky", "leak": 0.3}, blocks=1)
    assert np.array_equal(curves(alone), curves(scenario({"kind": "causal"}, blocks=1)))
    assert quantities.fluctuation_rate(alone).log_kappa is not None


def test_the_larger_of_first_and_later_blocks_counts() -> None:
    leaky, causal = scenario({"kind": "leaky", "leak": 0.3}), scenario({"kind": "causal"})
    assert (curves(leaky) >= curves(causal) - ROUNDOFF).all()
    assert quantities.fluctuation_rate(leaky).rate >= quantities.fluctuation_rate(causal).rate - ROUNDOFF


def test_no_bound_is_claimed_without_sectors() -> None:
    found = report(scenario({"kind": "leaky", "leak": 0.3})).saturation
    assert found.kappa is None
    assert found.paper_bound is None
    assert found.status == "reached"
