"""Runs a DeepSeek-V3 checkpoint folder in plain float32 torch, token by token, with a latent cache.

Shares nothing with the training code's model or export, so that a mistake there shows.
"""
import json
import math
import os
import re
import struct

import numpy as np
import torch

from bpe import CHARS, compile_split, isolate


def e4m3_table():
    """The value of each of the 256 bytes; 0x7f and 0xff are NaN."""
    values = []
    for byte in range(256):
        sign, exponent, mantissa = byte >> 7, byte >> 3 & 15, byte & 7
        value = mantissa / 512 if exponent == 0 else (1 + mantissa / 8) * 2.0 ** (exponent - 7)
        values.append(math.nan if byte & 127 == 127 else -value if sign else value)
    return np.array(values, np.float32)


def read_tensor(raw, dtype, shape):
    if dtype == "F8_E4M3":
        array = e4m3_table()[np.frombuffer(raw, np.uint8)]
    elif dtype == "BF16":
        array = (np.frombuffer(raw, np.uint16).astype(np.uint32) << 16).view(np.float32)
    else:
        array = np.frombuffer(raw, np.float32).copy()
    return torch.from_numpy(array).view(shape)


def read_shard(path):
    with open(path, "rb") as f:
        data = f.read()
    size = struct.unpack("<Q", data[:8])[0]
    head, body = json.loads(data[8:8 + size]), data[8 + size:]
    head.pop("__metadata__", None)
    return {name: read_tensor(body[t["data_offsets"][0]:t["data_offsets"][1]], t["dtype"], t["shape"])
            for name, t in head.items()}


def load_weights(folder):
    """{name: float32 tensor}; FP8 weights are multiplied by their scales."""
    with open(os.path.join(folder, "model.safetensors.index.json"), encoding="utf-8") as f:
        index = json.load(f)["weight_map"]
    shards = {name: read_shard(os.path.join(folder, name)) for name in sorted(set(index.values()))}
    found = {name: shards[shard][name] for name, shard in index.items()}
    weights = {}
    for name, value in found.items():
        scale = found.get(name + "_scale_inv")
        if scale is not None:
            rows = torch.arange(value.shape[0]) // 128
            cols = torch.arange(value.shape[1]) // 128
            value = value * scale[rows][:, cols]
        weights[name] = value
    return weights


class Tokenizer:
    """What tokenizer.json and tokenizer_config.json say, nothing else."""

    def __init__(self, folder):
        with open(os.path.join(folder, "tokenizer.json"), encoding="utf-8") as f:
            spec = json.load(f)
        with open(os.path.join(folder, "tokenizer_config.json"), encoding="utf-8") as f:
            self.config = json.load(f)
        self.vocab = spec["model"]["vocab"]
        self.rank = {tuple(m.split(" ")): i for i, m in enumerate(spec["model"]["merges"])}
        self.added = {t["content"]: t["id"] for t in spec["added_tokens"]}
        self.splits = [compile_split(step["pattern"]["Regex"])
                       for step in spec["pre_tokenizer"]["pretokenizers"] if step["type"] == "Split"]
        self.text_of = {i: t for t, i in self.vocab.items()}
        self.byte_of = {c: b for b, c in CHARS.items()}
        self.pattern = re.compile("(" + "|".join(map(re.escape, self.added)) + ")")

    def encode_piece(self, piece):
        parts = [CHARS[b] for b in piece.encode("utf-8")]
        while True:
            ranks = [self.rank.get(pair, 1 << 30) for pair in zip(parts, parts[1:])]
            if not ranks or min(ranks) == 1 << 30:
                return [self.vocab[p] for p in parts]
            at = ranks.index(min(ranks))
            parts[at:at + 2] = [parts[at] + parts[at + 1]]

    def encode(self, text):
        ids = []
        for part in self.pattern.split(text):
            if part in self.added:
                ids.append(self.added[part])
                continue
            pieces = [part] if part else []
            for split in self.splits:
                pieces = list(isolate(pieces, split))
            for piece in pieces:
                ids += self.encode_piece(piece)
        return ids

    def decode(self, ids):
        names = {i: t for t, i in self.added.items()}
        raw = b"".join(names[i].encode() if i in names else bytes(self.byte_of[c] for c in self.text_of[i])
                       for i in ids)
        return raw.decode("utf-8", errors="replace")

    def chat(self, messages):
        """The prompt text for messages, by the checkpoint's own template."""
        import jinja2
        environment = jinja2.Environment(trim_blocks=True, lstrip_blocks=True)
        template = environment.from_string(self.config["chat_template"])
        return template.render(messages=messages, bos_token=self.config["bos_token"]["content"],
                               add_generation_prompt=True)


def norm(x, weight):
    return x / torch.sqrt((x * x).mean(-1, keepdim=True) + 1e-6) * weight


class Reference:
    def __init__(self, folder):
        with open(os.path.join(folder, "config.json"), encoding="utf-8") as f:
            self.c = json.load(f)
        self.w = load_weights(folder)
        self.scale, self.frequency = self.rope_constants()

    def rope_constants(self):
        """(softmax scale, angle per position of each pair) with YaRN."""
        c, s = self.c, self.c["rope_scaling"]
        dim, theta, length = c["qk_rope_head_dim"], c["rope_theta"], s["original_max_position_embeddings"]
        bound = lambda r: dim * math.log(length / (r * 2 * math.pi)) / (2 * math.log(theta))
        low = max(math.floor(bound(s["beta_fast"])), 0)
        high = min(math.ceil(bound(s["beta_slow"])), dim - 1)
        frequency = []
        for i in range(dim // 2):
            plain = theta ** (-2 * i / dim)
            ramp = min(max((i - low) / max(high - low, 0.001), 0), 1)
            frequency.append(plain * (1 - ramp) + plain / s["factor"] * ramp)
        m = 0.1 * s["mscale_all_dim"] * math.log(s["factor"]) + 1
        head = c["qk_nope_head_dim"] + c["qk_rope_head_dim"]
        return m * m / math.sqrt(head), torch.tensor(frequency, dtype=torch.float64)

    def rotate(self, x, first):
        """x [T, ..., rope] at positions first, first+1, ...; neighbouring channels are a pair."""
        angle = torch.outer(torch.arange(first, first + len(x), dtype=torch.float64), self.frequency)
        turn = torch.polar(torch.ones_like(angle), angle).to(torch.complex64)
        pairs = torch.view_as_complex(x.reshape(*x.shape[:-1], -1, 2).contiguous())
        turn = turn.view(len(x), *[1] * (x.dim() - 2), -1)
        return torch.view_as_real(pairs * turn).flatten(-2)

    def attention(self, p, x, cache):
        """x [T, hidden] follows what cache (latents, rotated keys) holds; returns output and new cache."""
        c, w = self.c, self.w
        heads, nope, value = c["num_attention_heads"], c["qk_nope_head_dim"], c["v_head_dim"]
        past = len(cache[0]) if cache else 0
        q = norm(x @ w[p + "q_a_proj.weight"].T, w[p + "q_a_layernorm.weight"])
        q = (q @ w[p + "q_b_proj.weight"].T).view(len(x), heads, -1)
        q = torch.cat((q[..., :nope], self.rotate(q[..., nope:], past)), -1)
        down = x @ w[p + "kv_a_proj_with_mqa.weight"].T
        latent = norm(down[:, :c["kv_lora_rank"]], w[p + "kv_a_layernorm.weight"])
        key = self.rotate(down[:, c["kv_lora_rank"]:], past)
        if cache:
            latent, key = torch.cat((cache[0], latent)), torch.cat((cache[1], key))
        kv = (latent @ w[p + "kv_b_proj.weight"].T).view(len(latent), heads, nope + value)
        keys = torch.cat((kv[..., :nope], key.unsqueeze(1).expand(-1, heads, -1)), -1)
        scores = torch.einsum("thd,shd->hts", q, keys) * self.scale
        later = torch.arange(len(latent))[None, :] > torch.arange(past, past + len(x))[:, None]
        weights = scores.masked_fill(later, -math.inf).softmax(-1)
        out = torch.einsum("hts,shd->thd", weights, kv[..., nope:]).reshape(len(x), -1)
        return out @ w[p + "o_proj.weight"].T, (latent, key)

    def mlp(self, p, x):
        w = self.w
        gate = torch.nn.functional.silu(x @ w[p + "gate_proj.weight"].T)
        return (gate * (x @ w[p + "up_proj.weight"].T)) @ w[p + "down_proj.weight"].T

    def route(self, p, row):
        """The (expert, weight) pairs of one token."""
        c = self.c
        scores = torch.sigmoid(self.w[p + "gate.weight"] @ row)
        choice = scores + self.w[p + "gate.e_score_correction_bias"]
        groups = choice.view(c["n_group"], -1).sort(-1, descending=True)[0][:, :2].sum(-1)
        size = len(choice) // c["n_group"]
        kept = groups.topk(c["topk_group"])[1].tolist()
        allowed = [e for e in range(len(choice)) if e // size in kept]
        best = sorted(allowed, key=lambda e: -float(choice[e]))[:c["num_experts_per_tok"]]
        total = float(scores[best].sum()) + 1e-20
        return [(e, float(scores[e]) / total * c["routed_scaling_factor"]) for e in best]

    def feed_forward(self, index, x):
        p = f"model.layers.{index}.mlp."
        if index < self.c["first_k_dense_replace"]:
            return self.mlp(p, x)
        out = self.mlp(p + "shared_experts.", x)
        rows = {}
        for t, row in enumerate(x):
            for expert, weight in self.route(p, row):
                rows.setdefault(expert, []).append((t, weight))
        for expert, uses in rows.items():
            at = torch.tensor([t for t, _ in uses])
            weight = torch.tensor([w for _, w in uses]).unsqueeze(-1)
            out[at] += self.mlp(f"{p}experts.{expert}.", x[at]) * weight
        return out

    def layer(self, index, x, cache):
        p = f"model.layers.{index}."
        added, cache = self.attention(p + "self_attn.", norm(x, self.w[p + "input_layernorm.weight"]), cache)
        x = x + added
        return x + self.feed_forward(index, norm(x, self.w[p + "post_attention_layernorm.weight"])), cache

    def states(self, ids, caches):
        """States after the final norm of new tokens; caches is a list with one entry a layer."""
        x = self.w["model.embed_tokens.weight"][torch.tensor(ids)]
        for index in range(self.c["num_hidden_layers"]):
            x, caches[index] = self.layer(index, x, caches[index])
        return norm(x, self.w["model.norm.weight"])

    def logits(self, states):
        return states @ self.w["lm_head.weight"].T

    def greedy(self, prompt, most, stop_at_end=True):
        """(ids, gap between the best and the second logit at each step)."""
        caches, ids, margins, new = [None] * self.c["num_hidden_layers"], [], [], prompt
        while len(ids) < most:
            top = self.logits(self.states(new, caches)[-1]).topk(2)
            ids.append(int(top.indices[0]))
            margins.append(float(top.values[0] - top.values[1]))
            if stop_at_end and ids[-1] == self.c["eos_token_id"]:
                break
            new = ids[-1:]
        return ids, margins

    def drafts(self, ids):
        """What the MTP layer predicts for ids[2:], each from the true tokens before."""
        n = self.c["num_hidden_layers"]
        p = f"model.layers.{n}."
        states = self.states(ids, [None] * n)[:-1]
        embedded = self.w[p + "embed_tokens.weight"][torch.tensor(ids[1:])]
        x = torch.cat((norm(embedded, self.w[p + "enorm.weight"]), norm(states, self.w[p + "hnorm.weight"])), -1)
        x, _ = self.layer(n, x @ self.w[p + "eh_proj.weight"].T, None)
        x = norm(x, self.w[p + "shared_head.norm.weight"])
        return (x @ self.w[p + "shared_head.head.weight"].T).argmax(-1).tolist()[:-1]
