#!/usr/bin/python3
"""Writes a model of random weights in the shape of DeepSeek-V3, for benchmarks: see scripts/bench-model.

Every tensor is drawn from a generator of its own, seeded with the seed and the tensor's name, so one tensor never
depends on which others are written. Tensors go to disk one by one; threads draw the next ones meanwhile.

The numbers: standard normal float32 of numpy's SFC64; norms are 1 + 0.05 n, routing biases 0.01 n, embeddings n, other
matrices n / sqrt(columns), half of that where a matrix adds to the residual stream. FP8 matrices have one scale for each
128 x 128 block, its largest magnitude / 448, and codes that are rounded to float16 first and to E4M3 then.
"""
import argparse
import collections
import concurrent.futures
import json
import os
import shutil
import sys
import tempfile
import zlib

import numpy as np

from bench_tokenizer import write_tokenizer

COMMON = {
    "architectures": ["DeepseekV3ForCausalLM"], "model_type": "deepseek_v3", "attention_bias": False,
    "attention_dropout": 0.0, "bos_token_id": 0, "eos_token_id": 1, "ep_size": 1, "hidden_act": "silu",
    "initializer_range": 0.02, "moe_layer_freq": 1, "norm_topk_prob": True, "num_nextn_predict_layers": 0,
    "pretraining_tp": 1, "rms_norm_eps": 1e-6, "rope_theta": 10000, "scoring_func": "sigmoid",
    "topk_method": "noaux_tc", "tie_word_embeddings": False, "use_cache": True, "kv_lora_rank": 512,
    "qk_nope_head_dim": 128, "qk_rope_head_dim": 64, "v_head_dim": 128, "max_position_embeddings": 163840,
    "vocab_size": 129280,
    "rope_scaling": {"type": "yarn", "factor": 40, "beta_fast": 32, "beta_slow": 1, "mscale": 1.0,
                     "mscale_all_dim": 1.0, "original_max_position_embeddings": 4096},
}
SHAPE_KEYS = ("hidden_size", "num_hidden_layers", "first_k_dense_replace", "intermediate_size", "moe_intermediate_size",
              "n_routed_experts", "n_shared_experts", "num_experts_per_tok", "n_group", "topk_group",
              "routed_scaling_factor", "num_attention_heads", "q_lora_rank")
SHAPES = {
    "bench-small": (1024, 12, 1, 2816, 768, 32, 1, 4, 4, 2, 2.5, 8, 512),
    # A layer of DeepSeek-V2-Lite with q_lora; 8 of 27 layers.
    "bench-lite": (2048, 8, 1, 11264, 1408, 64, 2, 6, 1, 1, 2.446, 16, 768),
    # A layer of DeepSeek-R1; 32 of 256 experts, 3 of 61 layers.
    "v3-slice": (7168, 3, 1, 18432, 2048, 32, 1, 8, 8, 4, 2.5, 128, 1536),
}
BLOCK = 128
E4M3_MOST = 448.0
SHARD_BYTES = 4 << 30
BYTES = {"F32": 4, "BF16": 2, "F8_E4M3": 1}


def config_of(shape):
    config = {**COMMON, **dict(zip(SHAPE_KEYS, SHAPES[shape]))}
    config["num_key_value_heads"] = config["num_attention_heads"]
    return config


# ---- Which tensors there are: (name, shape), in the order of the file.


def attention_tensors(c, prefix):
    heads, hidden = c["num_attention_heads"], c["hidden_size"]
    query = heads * (c["qk_nope_head_dim"] + c["qk_rope_head_dim"])
    latent = c["kv_lora_rank"]
    if c["q_lora_rank"]:
        yield prefix + "q_a_proj.weight", (c["q_lora_rank"], hidden)
        yield prefix + "q_a_layernorm.weight", (c["q_lora_rank"],)
        yield prefix + "q_b_proj.weight", (query, c["q_lora_rank"])
    else:
        yield prefix + "q_proj.weight", (query, hidden)
    yield prefix + "kv_a_proj_with_mqa.weight", (latent + c["qk_rope_head_dim"], hidden)
    yield prefix + "kv_a_layernorm.weight", (latent,)
    yield prefix + "kv_b_proj.weight", (heads * (c["qk_nope_head_dim"] + c["v_head_dim"]), latent)
    yield prefix + "o_proj.weight", (hidden, heads * c["v_head_dim"])


def mlp_tensors(prefix, hidden, width):
    yield prefix + "gate_proj.weight", (width, hidden)
    yield prefix + "up_proj.weight", (width, hidden)
    yield prefix + "down_proj.weight", (hidden, width)


def layer_tensors(c, layer):
    prefix, hidden = f"model.layers.{layer}.", c["hidden_size"]
    yield prefix + "input_layernorm.weight", (hidden,)
    yield from attention_tensors(c, prefix + "self_attn.")
    yield prefix + "post_attention_layernorm.weight", (hidden,)
    if layer < c["first_k_dense_replace"]:
        yield from mlp_tensors(prefix + "mlp.", hidden, c["intermediate_size"])
        return
    experts, width = c["n_routed_experts"], c["moe_intermediate_size"]
    yield prefix + "mlp.gate.weight", (experts, hidden)
    yield prefix + "mlp.gate.e_score_correction_bias", (experts,)
    for expert in range(experts):
        yield from mlp_tensors(prefix + f"mlp.experts.{expert}.", hidden, width)
    yield from mlp_tensors(prefix + "mlp.shared_experts.", hidden, width * c["n_shared_experts"])


def mtp_tensors(c, layer):
    prefix, hidden, vocab = f"model.layers.{layer}.", c["hidden_size"], c["vocab_size"]
    yield prefix + "embed_tokens.weight", (vocab, hidden)
    yield prefix + "enorm.weight", (hidden,)
    yield prefix + "hnorm.weight", (hidden,)
    yield prefix + "eh_proj.weight", (hidden, 2 * hidden)
    yield from layer_tensors(c, layer)
    yield prefix + "shared_head.norm.weight", (hidden,)
    yield prefix + "shared_head.head.weight", (vocab, hidden)


def tensors(c):
    layers, hidden, vocab = c["num_hidden_layers"], c["hidden_size"], c["vocab_size"]
    yield "model.embed_tokens.weight", (vocab, hidden)
    for layer in range(layers):
        yield from layer_tensors(c, layer)
    for layer in range(layers, layers + c["num_nextn_predict_layers"]):
        yield from mtp_tensors(c, layer)
    yield "model.norm.weight", (hidden,)
    yield "lm_head.weight", (vocab, hidden)


def is_fp8(name):
    """What DeepSeek's checkpoints have in FP8: the projections, but neither the router nor MTP's eh_proj."""
    return name.endswith(("_proj.weight", "_proj_with_mqa.weight")) and "eh_proj" not in name


# ---- Numbers.


def draw(seed, name, shape):
    generator = np.random.Generator(np.random.SFC64([seed, zlib.crc32(name.encode())]))
    normal = generator.standard_normal(shape, np.float32)
    if name.endswith("norm.weight"):
        return (1.0 + 0.05 * normal).astype(np.float32)
    if name.endswith("e_score_correction_bias"):
        return (0.01 * normal).astype(np.float32)
    if "embed_tokens" not in name:
        adds_to_residual = name.endswith(("o_proj.weight", "down_proj.weight"))
        normal *= np.float32(shape[-1] ** -0.5 * (0.5 if adds_to_residual else 1.0))
    return normal


def to_bf16(values):
    """Nearest, ties to even."""
    bits = values.view(np.uint32)
    odd = (bits >> np.uint32(16)) & np.uint32(1)
    return ((bits + np.uint32(0x7FFF) + odd) >> np.uint32(16)).astype(np.uint16)


def e4m3_of_halves():
    """The E4M3 code of each float16 bit pattern: nearest, ties to the even code, at most 448."""
    codes = np.arange(127)
    exponent, mantissa = codes >> 3, codes & 7
    values = np.where(exponent == 0, mantissa * 2.0**-9, (1 + mantissa / 8) * 2.0 ** (exponent - 7.0))
    patterns = np.arange(65536, dtype=np.uint16)
    magnitudes = np.minimum(np.abs(np.nan_to_num(patterns.view(np.float16).astype(np.float64), nan=0.0)), E4M3_MOST)
    above = np.searchsorted(values, magnitudes)  # the first value that is not below
    below = np.maximum(above - 1, 0)
    over, under = values[above] - magnitudes, magnitudes - values[below]
    up = (over < under) | ((over == under) & (above % 2 == 0))
    return (np.where(up, above, below) | (patterns >> 15 << 7)).astype(np.uint8)


E4M3 = e4m3_of_halves()


def to_fp8(values):
    """[rows, columns] float32 -> E4M3 codes, float32 [blocks, blocks] that they are to be multiplied with."""
    rows, columns = values.shape
    down, across = -(-rows // BLOCK), -(-columns // BLOCK)
    padded = np.zeros((down * BLOCK, across * BLOCK), np.float32)
    padded[:rows, :columns] = values
    blocks = padded.reshape(down, BLOCK, across, BLOCK)
    scales = (np.maximum(np.abs(blocks).max(axis=(1, 3)), 1e-12) / E4M3_MOST).astype(np.float32)
    halves = (blocks / scales[:, None, :, None]).astype(np.float16).view(np.uint16)
    return E4M3[halves].reshape(padded.shape)[:rows, :columns], scales


# ---- Files.


def stored(name, shape, fp8):
    """What is stored for a tensor: (name, type, shape), one or two."""
    if fp8 and is_fp8(name):
        scales = tuple(-(-side // BLOCK) for side in shape)
        return [(name, "F8_E4M3", shape), (name + "_scale_inv", "F32", scales)]
    return [(name, "F32" if name.endswith("e_score_correction_bias") else "BF16", shape)]


def contents(seed, name, shape, fp8):
    values = draw(seed, name, shape)
    types = [entry[1] for entry in stored(name, shape, fp8)]
    if types[0] == "F8_E4M3":
        return [np.ascontiguousarray(part) for part in to_fp8(values)]
    return [values if types[0] == "F32" else to_bf16(values)]


def size(entry):
    return BYTES[entry[1]] * int(np.prod(entry[2]))


def cut_into_shards(c, fp8):
    shards, used = [[]], 0
    for name, shape in tensors(c):
        need = sum(size(entry) for entry in stored(name, shape, fp8))
        if shards[-1] and used + need > SHARD_BYTES:
            shards.append([])
            used = 0
        shards[-1].append((name, shape))
        used += need
    return shards


def header(shard, fp8):
    entries, offset = {"__metadata__": {"format": "pt"}}, 0
    for name, shape in shard:
        for entry in stored(name, shape, fp8):
            end = offset + size(entry)
            entries[entry[0]] = {"dtype": entry[1], "shape": list(entry[2]), "data_offsets": [offset, end]}
            offset = end
    text = json.dumps(entries, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    return len(text).to_bytes(8, "little") + text, offset


def computed_ahead(pool, calls, ahead):
    """The results of calls (function, arguments...), in order; at most `ahead` wait or are computed meanwhile."""
    waiting = collections.deque()
    for call in calls:
        waiting.append(pool.submit(*call))
        if len(waiting) > ahead:
            yield waiting.popleft().result()
    while waiting:
        yield waiting.popleft().result()


def write_shard(path, shard, seed, fp8, pool):
    head, data_bytes = header(shard, fp8)
    calls = ((contents, seed, name, shape, fp8) for name, shape in shard)
    with open(path, "wb") as file:
        file.write(head)
        for parts in computed_ahead(pool, calls, 2 * os.cpu_count()):
            for part in parts:
                file.write(part.data.cast("B"))
    return data_bytes


def write_model(c, seed, fp8, folder):
    config = {**c, "torch_dtype": "bfloat16"}
    if fp8:
        config["quantization_config"] = {"activation_scheme": "dynamic", "fmt": "e4m3", "quant_method": "fp8",
                                         "weight_block_size": [BLOCK, BLOCK]}
    with open(os.path.join(folder, "config.json"), "w", encoding="utf-8") as file:
        json.dump(config, file, indent=2)
    with open(os.path.join(folder, "generation_config.json"), "w", encoding="utf-8") as file:
        json.dump({"bos_token_id": 0, "eos_token_id": 1, "do_sample": True, "temperature": 0.6, "top_p": 0.95}, file)
    write_tokenizer(folder, c["vocab_size"])
    shards = cut_into_shards(c, fp8)
    places, total = {}, 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for i, shard in enumerate(shards):
            name = f"model-{i + 1:05d}-of-{len(shards):06d}.safetensors"
            print(f"{name}: {len(shard)} tensors", file=sys.stderr, flush=True)
            total += write_shard(os.path.join(folder, name), shard, seed, fp8, pool)
            places.update({entry[0]: name for tensor in shard for entry in stored(*tensor, fp8)})
    with open(os.path.join(folder, "model.safetensors.index.json"), "w", encoding="utf-8") as file:
        json.dump({"metadata": {"total_size": total}, "weight_map": places}, file, indent=1)


def total_bytes(c, fp8):
    return sum(size(entry) for tensor in tensors(c) for entry in stored(*tensor, fp8))


def fail(what, fix):
    print(f"error: {what}\n  fix: {fix}", file=sys.stderr)
    sys.exit(2)


def main():
    parser = argparse.ArgumentParser(prog="scripts/bench-model", description="Writes a random model for benchmarks.")
    parser.add_argument("shape", choices=sorted(SHAPES), help="layers, experts and widths")
    parser.add_argument("folder", help="where the model goes; it must not exist yet")
    parser.add_argument("--format", choices=("hf-fp8", "hf-bf16"), default="hf-fp8", help="(default hf-fp8)")
    parser.add_argument("--seed", type=int, default=1, help="(default 1)")
    parser.add_argument("--layers", type=int, metavar="N", help="so many layers")
    parser.add_argument("--mtp", type=int, default=0, metavar="N", help="so many layers that predict further tokens")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=JSON", help="another value in config.json")
    flags = parser.parse_args()
    c = config_of(flags.shape)
    if flags.layers is not None:
        c["num_hidden_layers"] = flags.layers
    c["num_nextn_predict_layers"] = flags.mtp
    for pair in flags.set:
        key, _, value = pair.partition("=")
        try:
            c[key] = json.loads(value)
        except json.JSONDecodeError:
            fail(f"--set {pair}: '{value}' is no JSON", "give KEY=JSON, as --set vocab_size=2048")
    if os.path.exists(flags.folder):
        fail(f"{flags.folder} exists", "name a folder that does not, or remove it")
    fp8 = flags.format == "hf-fp8"
    parent = os.path.dirname(os.path.abspath(flags.folder))
    if not os.path.isdir(parent):
        fail(f"{parent} is no folder", "make it first")
    need, free = total_bytes(c, fp8), shutil.disk_usage(parent).free
    if need > free:
        fail(f"the model takes {need:,} bytes and {parent} has {free:,} free", "make room or name another disk")
    # A name of its own: two that run at once, or what lies there, are left alone.
    partial = tempfile.mkdtemp(prefix=os.path.basename(flags.folder.rstrip("/")) + ".partial.", dir=parent)
    os.chmod(partial, 0o755)
    try:
        write_model(c, flags.seed, fp8, partial)
        os.rename(partial, flags.folder)
    finally:
        shutil.rmtree(partial, ignore_errors=True)


if __name__ == "__main__":
    main()
