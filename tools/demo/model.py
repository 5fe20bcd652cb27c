"""The DeepSeek-V3 architecture for training on a CPU: MLA, group-limited MoE routing, one MTP layer.

Parameter names are those of the published checkpoints, except that the experts of a layer are kept in
two stacked tensors (gate and up, down), which export.py takes apart.
"""
import math

import torch
import torch.nn.functional as F
from torch import nn

from fastmm import bmm, grouped_linear, linear

CONFIG = dict(
    architectures=["DeepseekV3ForCausalLM"], model_type="deepseek_v3", attention_bias=False,
    attention_dropout=0.0, aux_loss_alpha=0.001, bos_token_id=0, eos_token_id=1, ep_size=1,
    first_k_dense_replace=1, hidden_act="silu", hidden_size=192, initializer_range=0.02,
    intermediate_size=512, kv_lora_rank=64, max_position_embeddings=2048, moe_intermediate_size=96,
    moe_layer_freq=1, n_group=4, n_routed_experts=16, n_shared_experts=1, norm_topk_prob=True,
    num_attention_heads=4, num_experts_per_tok=4, num_hidden_layers=4, num_key_value_heads=4,
    num_nextn_predict_layers=1, pretraining_tp=1, q_lora_rank=96, qk_nope_head_dim=32,
    qk_rope_head_dim=16,
    quantization_config=dict(activation_scheme="dynamic", fmt="e4m3", quant_method="fp8",
                             weight_block_size=[128, 128]),
    rms_norm_eps=1e-6,
    rope_scaling=dict(beta_fast=32, beta_slow=1, factor=4, mscale=1.0, mscale_all_dim=1.0,
                      original_max_position_embeddings=512, type="yarn"),
    rope_theta=10000, routed_scaling_factor=2.5, scoring_func="sigmoid", seq_aux=True,
    tie_word_embeddings=False, topk_group=2, topk_method="noaux_tc", torch_dtype="bfloat16",
    transformers_version="4.46.3", use_cache=True, v_head_dim=32, vocab_size=4096)


def yarn_frequencies(c):
    """Angle per position of each rotary pair; low frequencies are divided by the factor."""
    dim, theta, s = c["qk_rope_head_dim"], c["rope_theta"], c["rope_scaling"]
    base = theta ** (-torch.arange(0, dim, 2, dtype=torch.float64) / dim)

    def pair_of(rotations):
        length = s["original_max_position_embeddings"]
        return dim * math.log(length / (rotations * 2 * math.pi)) / (2 * math.log(theta))

    low = max(math.floor(pair_of(s["beta_fast"])), 0)
    high = min(math.ceil(pair_of(s["beta_slow"])), dim - 1)
    ramp = ((torch.arange(dim // 2, dtype=torch.float64) - low) / max(high - low, 0.001)).clamp(0, 1)
    return base * (1 - ramp) + base / s["factor"] * ramp


def softmax_scale(c):
    """1 / sqrt(head size) times YaRN's mscale squared."""
    s = c["rope_scaling"]
    mscale = 0.1 * s["mscale_all_dim"] * math.log(s["factor"]) + 1
    return (c["qk_nope_head_dim"] + c["qk_rope_head_dim"]) ** -0.5 * mscale * mscale


def rotate(x, cos, sin):
    """Turns the pairs (2i, 2i+1) of the last axis; cos and sin are [T, pairs]."""
    even, odd = x[..., 0::2], x[..., 1::2]
    return torch.stack((even * cos - odd * sin, even * sin + odd * cos), -1).flatten(-2)


def matrix(rows, cols, std=0.02):
    return nn.Parameter(torch.randn(rows, cols) * std)


class RmsNorm(nn.Module):
    def __init__(self, size, eps=1e-6):
        super().__init__()
        self.weight, self.eps = nn.Parameter(torch.ones(size)), eps

    def forward(self, x):
        return x * torch.rsqrt(x.square().mean(-1, keepdim=True) + self.eps) * self.weight


class Attention(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.c = c
        hidden, heads, kv = c["hidden_size"], c["num_attention_heads"], c["kv_lora_rank"]
        nope, rope, value = c["qk_nope_head_dim"], c["qk_rope_head_dim"], c["v_head_dim"]
        self.q_a_proj = matrix(c["q_lora_rank"], hidden)
        self.q_a_layernorm = RmsNorm(c["q_lora_rank"])
        self.q_b_proj = matrix(heads * (nope + rope), c["q_lora_rank"], 0.05)
        self.kv_a_proj_with_mqa = matrix(kv + rope, hidden)
        self.kv_a_layernorm = RmsNorm(kv)
        self.kv_b_proj = matrix(heads * (nope + value), kv, 0.05)
        self.o_proj = matrix(hidden, heads * value)
        self.scale = softmax_scale(c)

    def forward(self, x, cos, sin, mask):
        c, (batch, steps, _) = self.c, x.shape
        heads, nope, rope = c["num_attention_heads"], c["qk_nope_head_dim"], c["qk_rope_head_dim"]
        q = linear(self.q_a_layernorm(linear(x, self.q_a_proj)), self.q_b_proj)
        q = q.view(batch, steps, heads, nope + rope).transpose(1, 2)
        latent, k_rope = linear(x, self.kv_a_proj_with_mqa).split([c["kv_lora_rank"], rope], -1)
        kv = linear(self.kv_a_layernorm(latent), self.kv_b_proj)
        kv = kv.view(batch, steps, heads, nope + c["v_head_dim"]).transpose(1, 2)
        k_rope = rotate(k_rope, cos, sin).unsqueeze(1).expand(-1, heads, -1, -1)
        q = torch.cat((q[..., :nope], rotate(q[..., nope:], cos, sin)), -1).flatten(0, 1)
        k = torch.cat((kv[..., :nope], k_rope), -1).flatten(0, 1)
        weights = torch.softmax(bmm(q, k.transpose(1, 2)) * self.scale + mask, -1)
        out = bmm(weights, kv[..., nope:].flatten(0, 1)).view(batch, heads, steps, -1)
        return linear(out.transpose(1, 2).reshape(batch, steps, -1), self.o_proj)


class Mlp(nn.Module):
    def __init__(self, hidden, width):
        super().__init__()
        self.gate_proj, self.up_proj = matrix(width, hidden), matrix(width, hidden)
        self.down_proj = matrix(hidden, width)

    def forward(self, x):
        return linear(F.silu(linear(x, self.gate_proj)) * linear(x, self.up_proj), self.down_proj)


class Gate(nn.Module):
    """Sigmoid scores; groups and experts are chosen with the bias, weights come without it."""

    def __init__(self, c):
        super().__init__()
        self.c = c
        self.weight = matrix(c["n_routed_experts"], c["hidden_size"])
        self.register_buffer("e_score_correction_bias", torch.zeros(c["n_routed_experts"]))
        self.load = torch.zeros(c["n_routed_experts"])

    def forward(self, x):
        c = self.c
        scores = torch.sigmoid(linear(x, self.weight))
        with torch.no_grad():
            choice = (scores + self.e_score_correction_bias).view(len(x), c["n_group"], -1)
            groups = choice.topk(2, -1)[0].sum(-1).topk(c["topk_group"], -1)[1]
            closed = torch.ones(len(x), c["n_group"], dtype=torch.bool).scatter(1, groups, False)
            choice = choice.masked_fill(closed.unsqueeze(-1), -math.inf).flatten(1)
            chosen = choice.topk(c["num_experts_per_tok"], -1)[1]
            if self.training:
                self.load += torch.bincount(chosen.flatten(), minlength=choice.shape[1])
        weights = scores.gather(1, chosen)
        weights = weights / (weights.sum(-1, keepdim=True) + 1e-20) * c["routed_scaling_factor"]
        return chosen, weights

    def balance(self, speed):
        """DeepSeek-V3's load balance: busy experts get a lower bias, idle ones a higher."""
        self.e_score_correction_bias += speed * torch.sign(self.load.mean() - self.load)
        self.load.zero_()


class Moe(nn.Module):
    def __init__(self, c):
        super().__init__()
        hidden, width, experts = c["hidden_size"], c["moe_intermediate_size"], c["n_routed_experts"]
        self.gate = Gate(c)
        self.experts_in = nn.Parameter(torch.randn(experts, 2 * width, hidden) * 0.02)
        self.experts_down = nn.Parameter(torch.randn(experts, hidden, width) * 0.02)
        self.shared_experts = Mlp(hidden, width * c["n_shared_experts"])

    def forward(self, x):
        shape = x.shape
        x = x.reshape(-1, shape[-1])
        chosen, weights = self.gate(x)
        flat = chosen.flatten()
        order = torch.argsort(flat, stable=True)
        token = order // chosen.shape[1]
        counts = torch.bincount(flat, minlength=len(self.experts_in)).tolist()
        gate, up = grouped_linear(x[token], self.experts_in, counts).chunk(2, -1)
        out = grouped_linear(F.silu(gate) * up, self.experts_down, counts)
        out = out * weights.flatten()[order].unsqueeze(-1)
        return (self.shared_experts(x).index_add(0, token, out)).view(shape)


class Layer(nn.Module):
    def __init__(self, c, index):
        super().__init__()
        self.input_layernorm = RmsNorm(c["hidden_size"])
        self.self_attn = Attention(c)
        self.post_attention_layernorm = RmsNorm(c["hidden_size"])
        dense = index < c["first_k_dense_replace"]
        self.mlp = Mlp(c["hidden_size"], c["intermediate_size"]) if dense else Moe(c)

    def forward(self, x, cos, sin, mask):
        x = x + self.self_attn(self.input_layernorm(x), cos, sin, mask)
        return x + self.mlp(self.post_attention_layernorm(x))


class MtpLayer(Layer):
    """Predicts token i+2 from the state at i and the embedding of token i+1."""

    def __init__(self, c):
        super().__init__(c, c["num_hidden_layers"])
        self.enorm, self.hnorm = RmsNorm(c["hidden_size"]), RmsNorm(c["hidden_size"])
        self.eh_proj = matrix(c["hidden_size"], 2 * c["hidden_size"])
        self.shared_head_norm = RmsNorm(c["hidden_size"])

    def forward(self, embedded, state, cos, sin, mask):
        x = linear(torch.cat((self.enorm(embedded), self.hnorm(state)), -1), self.eh_proj)
        return self.shared_head_norm(super().forward(x, cos, sin, mask))


class DeepseekV3(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.embed_tokens = matrix(c["vocab_size"], c["hidden_size"], 0.05)
        self.layers = nn.ModuleList(Layer(c, i) for i in range(c["num_hidden_layers"]))
        self.mtp = MtpLayer(c)
        self.norm = RmsNorm(c["hidden_size"])
        self.lm_head = matrix(c["vocab_size"], c["hidden_size"])
        angles = torch.outer(torch.arange(512, dtype=torch.float64), yarn_frequencies(c))
        self.cos, self.sin = angles.cos().float(), angles.sin().float()

    def tables(self, steps):
        mask = torch.full((steps, steps), -math.inf).triu(1)
        return self.cos[:steps], self.sin[:steps], mask

    def forward(self, embedded):
        """Embeddings [B, T, H] -> states after the final norm, what lm_head and the MTP layer read."""
        tables = self.tables(embedded.shape[1])
        x = embedded
        for layer in self.layers:
            x = layer(x, *tables)
        return self.norm(x)

    def draft(self, embedded, states):
        """MTP states for positions 0..T-2, which predict the token after the next one."""
        tables = self.tables(embedded.shape[1] - 1)
        return self.mtp(embedded[:, 1:], states[:, :-1], *tables)

    def gates(self):
        return [m for m in self.modules() if isinstance(m, Gate)]
