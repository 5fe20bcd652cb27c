"""Matrix products that are fast with Debian's python3-torch.

Its plain products go through the reference BLAS (about 3 GFLOP/s a core) unless libopenblas0 is
installed. oneDNN, which the package also contains, is some ten times faster, but torch 1.13 uses it for
float32 only in `mkldnn_linear` and in convolutions. So without OpenBLAS every product of the model,
forward and backward, is sent there.
"""
import torch
import torch.nn.functional as F


def openblas_loaded():
    with open("/proc/self/maps", encoding="utf-8") as f:
        return "openblas" in f.read()


OPENBLAS = openblas_loaded()


def matmul_nt(x, w):
    """x [n, k] times w [m, k] transposed -> [n, m]."""
    if OPENBLAS:
        return x @ w.t()
    return torch._C._nn.mkldnn_linear(x.contiguous().to_mkldnn(), w.contiguous().to_mkldnn()).to_dense()


class LinearFunction(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, w):
        ctx.save_for_backward(x, w)
        return matmul_nt(x, w)

    @staticmethod
    def backward(ctx, grad):
        x, w = ctx.saved_tensors
        return matmul_nt(grad, w.t()), matmul_nt(grad.t(), x.t())


def linear(x, w):
    """F.linear(x, w) for x of any rank."""
    return LinearFunction.apply(x.reshape(-1, x.shape[-1]), w).view(*x.shape[:-1], w.shape[0])


class GroupedLinearFunction(torch.autograd.Function):
    """Rows of x in order of their group, counts[g] of them in group g, each times its own w[g]."""

    @staticmethod
    def forward(ctx, x, w, counts):
        ctx.save_for_backward(x, w)
        ctx.counts = counts
        out = x.new_empty(x.shape[0], w.shape[1])
        at = 0
        for group, n in enumerate(counts):
            if n:
                out[at:at + n] = matmul_nt(x[at:at + n], w[group])
            at += n
        return out

    @staticmethod
    def backward(ctx, grad):
        x, w = ctx.saved_tensors
        grad_x, grad_w, at = torch.empty_like(x), torch.zeros_like(w), 0
        for group, n in enumerate(ctx.counts):
            if n:
                rows = grad[at:at + n]
                grad_x[at:at + n] = matmul_nt(rows, w[group].t())
                grad_w[group] = matmul_nt(rows.t(), x[at:at + n].t())
            at += n
        return grad_x, grad_w, None


def grouped_linear(x, w, counts):
    return GroupedLinearFunction.apply(x, w, counts)


def bmm_nn(a, b):
    """a [g, m, k] times b [g, k, n], without OpenBLAS as a convolution with g groups."""
    if OPENBLAS:
        return torch.bmm(a, b)
    g, m, k = a.shape
    n = b.shape[2]
    return F.conv1d(b.reshape(1, g * k, n), a.reshape(g * m, k, 1), groups=g).view(g, m, n)


class BmmFunction(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b):
        ctx.save_for_backward(a, b)
        return bmm_nn(a, b)

    @staticmethod
    def backward(ctx, grad):
        a, b = ctx.saved_tensors
        return bmm_nn(grad, b.transpose(1, 2)), bmm_nn(a.transpose(1, 2), grad)


def bmm(a, b):
    return BmmFunction.apply(a, b)
