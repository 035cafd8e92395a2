import numpy as np
import pytest

from engine import preln_tokens
from engine.preln_block import block_output
from engine.preln_stack import LAYERS_PER_CALL
from engine.preln_tokens import token_runs
from tests.engine.real_stack import DEPTH, KIND, LENGTH, TOKENS, mean_gate, real_blocks, state_and_differences

ROUNDOFF = 1e-12
START, DIFFERENCES = state_and_differences()
STATES = START + np.array([1.0, -1.0, 0.1])[:, None, None] * DIFFERENCES
BLOCKS = real_blocks()


def by_hand(blocks, tokens, gate=None, amplitude=0.0, rotary=False):
    """Layer by layer and block by block, with the public one-block function."""
    cuts = range(0, len(tokens), LENGTH)
    depths, held = [tokens], [np.zeros(tokens.shape[1]) for _ in cuts]
    for layer, block in enumerate(blocks):
        moved = []
        for place, start in enumerate(cuts):
            part = depths[-1][start : start + LENGTH]
            after = block_output(block, part, rotary=rotary, **KIND)
            if gate is not None:
                if layer % gate.refresh_period == 0:
                    held[place] = part.mean(axis=0)
                after = after + amplitude * gate.injection.value(held[place])
            moved.append(after)
        depths.append(np.concatenate(moved))
    return np.array(depths)


@pytest.mark.parametrize("rotary", [False, True])
def test_runs_chain_the_single_blocks(rotary):
    found = token_runs(BLOCKS, STATES, block_length=LENGTH, rotary=rotary, **KIND)
    assert found.shape == (DEPTH + 1, 3, TOKENS, START.size)
    for run in range(3):
        np.testing.assert_allclose(found[:, run], by_hand(BLOCKS, STATES[run], rotary=rotary), atol=ROUNDOFF)


@pytest.mark.parametrize(("saturating", "period"), [(True, 1), (False, 2), (True, 9)])
def test_every_block_reads_its_own_held_summary(saturating, period):
    gate = mean_gate(0.0, saturating=saturating, refresh_period=period)
    amplitudes = np.array([0.3, -0.2, 0.0])
    found = token_runs(BLOCKS, STATES, block_length=LENGTH, gate=gate._replace(amplitude=amplitudes), **KIND)
    for run, amplitude in enumerate(amplitudes):
        expected = by_hand(BLOCKS, STATES[run], gate, amplitude)
        np.testing.assert_allclose(found[:, run], expected, atol=ROUNDOFF)


def test_depth_shapes_no_kernel_and_held_summaries_outlive_a_call():
    token_runs(BLOCKS, STATES, block_length=LENGTH, **KIND)
    compiled = preln_tokens._tokens_kernel._cache_size()  # type: ignore[attr-defined]
    blocks = real_blocks(LAYERS_PER_CALL + 3, seed=4)
    gate = mean_gate(0.3, refresh_period=LAYERS_PER_CALL - 1)
    found = token_runs(blocks, STATES, block_length=LENGTH, gate=gate, **KIND)
    np.testing.assert_allclose(found[:, 0], by_hand(blocks, STATES[0], gate, 0.3), atol=1e-10)
    token_runs(blocks[:2], STATES[:, :7], block_length=4, gate=None, rotary=True, **KIND)
    assert preln_tokens._tokens_kernel._cache_size() == compiled  # type: ignore[attr-defined]


def test_blocks_do_not_see_each_other():
    moved = STATES.copy()
    moved[:, LENGTH:] += 1.0
    gate = mean_gate(0.3)
    before, after = (token_runs(BLOCKS, s, block_length=LENGTH, gate=gate, **KIND) for s in (STATES, moved))
    np.testing.assert_array_equal(before[:, :, :LENGTH], after[:, :, :LENGTH])
    assert np.abs(before - after)[-1, :, LENGTH:].min(axis=(0, 2)).min() > 1e-4


def test_misuse_is_named():
    with pytest.raises(ValueError, match=r"at least one layer; got none"):
        token_runs([], STATES, block_length=LENGTH, **KIND)
    with pytest.raises(ValueError, match=r"weights read 4 features; the states have 5"):
        token_runs(BLOCKS, np.ones((1, 8, 5)), block_length=LENGTH, **KIND)
    gate = mean_gate(0.1)
    with pytest.raises(ValueError, match=r"expected weights of shape \(2, 4\).*got \(3, 3\)"):
        token_runs(BLOCKS, STATES, block_length=4, gate=gate, **KIND)
    with pytest.raises(ValueError, match=r"refresh period >= 1; got .* 0"):
        token_runs(BLOCKS, STATES, block_length=LENGTH, gate=gate._replace(refresh_period=0), **KIND)
    odd = [block._replace(output_weights=block.output_weights[:, :, :1]) for block in BLOCKS]
    with pytest.raises(ValueError, match=r"even head width; got 1"):
        token_runs(odd, STATES, block_length=LENGTH, rotary=True, **KIND)
