"""DeepSeek's weight format: E4M3 numbers with one float32 scale per block of 128 x 128."""
import numpy as np
import torch

LARGEST, BLOCK = 448.0, 128


def round_e4m3(x):
    """The nearest E4M3 value, ties to even; |x| must not exceed 448."""
    _, exponent = torch.frexp(x)
    step = torch.ldexp(torch.ones_like(x), (exponent - 1).clamp(min=-6) - 3)
    return torch.round(x / step) * step


def quantise(w):
    """w [..., rows, cols] -> (E4M3 values, scales per block); value * scale is close to w."""
    rows, cols = w.shape[-2:]
    down, right = -(-rows // BLOCK), -(-cols // BLOCK)
    padded = torch.nn.functional.pad(w, (0, right * BLOCK - cols, 0, down * BLOCK - rows))
    blocks = padded.view(-1, down, BLOCK, right, BLOCK)
    scale = blocks.abs().amax((2, 4)).clamp(min=1e-12) / LARGEST
    values = round_e4m3((blocks / scale[:, :, None, :, None]).clamp(-LARGEST, LARGEST))
    values = values.view(*w.shape[:-2], down * BLOCK, right * BLOCK)[..., :rows, :cols]
    return values, scale.view(*w.shape[:-2], down, right)


def rounded(w):
    """What is left of w after it has been stored as FP8."""
    values, scale = quantise(w)
    grid = scale.repeat_interleave(BLOCK, -2).repeat_interleave(BLOCK, -1)
    return values * grid[..., :w.shape[-2], :w.shape[-1]]


def code_values():
    """The value of each of the 127 non-negative codes."""
    code = np.arange(127)
    exponent, mantissa = code >> 3, code & 7
    return np.where(exponent == 0, mantissa * 2.0 ** -9, (1 + mantissa / 8) * 2.0 ** (exponent - 7.0))


def codes_of(values):
    """E4M3 values -> their bytes."""
    v = values.numpy().astype(np.float64)
    code = np.searchsorted(code_values(), np.abs(v))
    assert np.array_equal(code_values()[code], np.abs(v)), "not an E4M3 value"
    return (code | (np.signbit(v) << 7)).astype(np.uint8)
