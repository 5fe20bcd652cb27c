"""Writes the trained model as a checkpoint folder in the layout of DeepSeek's published ones."""
import json
import os
import shutil
import struct

import numpy as np
import torch

import bpe
import fp8
from model import CONFIG

HERE = os.path.dirname(os.path.abspath(__file__))
SHARDS = 2


def bf16_bytes(x):
    """float32 tensor -> uint16 array of bfloat16, rounded to nearest even."""
    return x.detach().bfloat16().view(torch.int16).numpy().view(np.uint16)


def published_name(name):
    """The checkpoint's name of a parameter of model.py, for all but stacked experts."""
    mtp = f"model.layers.{CONFIG['num_hidden_layers']}."
    if name == "lm_head":
        return "lm_head.weight"
    name = "model." + name
    name = name.replace("model.mtp.", mtp).replace("shared_head_norm", "shared_head.norm")
    return name if name.endswith((".weight", "_bias")) else name + ".weight"


def apart(name, value):
    """The published (name, matrix) pairs of a parameter."""
    published = published_name(name)
    if name.endswith("experts_in"):
        prefix = published.replace("experts_in.weight", "experts.")
        for e, both in enumerate(value):
            gate, up = both.chunk(2, 0)
            yield f"{prefix}{e}.gate_proj.weight", gate
            yield f"{prefix}{e}.up_proj.weight", up
    elif name.endswith("experts_down"):
        prefix = published.replace("experts_down.weight", "experts.")
        for e, down in enumerate(value):
            yield f"{prefix}{e}.down_proj.weight", down
    else:
        yield published, value


def is_fp8(name):
    """Projections are FP8; embeddings, norms, router, heads and eh_proj are not."""
    return name.endswith(("_proj.weight", "_proj_with_mqa.weight")) and "eh_proj" not in name


def tensors_of(model):
    """{name: (dtype, array)} of the checkpoint, in the order of the layers."""
    out = {}
    mtp = f"model.layers.{CONFIG['num_hidden_layers']}."
    for param, value in model.state_dict().items():
        for name, matrix in apart(param, value):
            if name.endswith("e_score_correction_bias"):
                out[name] = ("F32", matrix.numpy())
            elif is_fp8(name):
                values, scale = fp8.quantise(matrix)
                out[name] = ("F8_E4M3", fp8.codes_of(values))
                out[name + "_scale_inv"] = ("F32", scale.numpy())
            else:
                out[name] = ("BF16", bf16_bytes(matrix))
    out[mtp + "embed_tokens.weight"] = out["model.embed_tokens.weight"]
    out[mtp + "shared_head.head.weight"] = out["lm_head.weight"]
    return out


def write_safetensors(path, tensors):
    head, at = {"__metadata__": {"format": "pt"}}, 0
    for name, (dtype, array) in tensors:
        head[name] = dict(dtype=dtype, shape=list(array.shape), data_offsets=[at, at + array.nbytes])
        at += array.nbytes
    raw = json.dumps(head, separators=(",", ":")).encode()
    raw += b" " * (-len(raw) % 8)
    with open(path, "wb") as f:
        f.write(struct.pack("<Q", len(raw)) + raw)
        for _, (_, array) in tensors:
            f.write(np.ascontiguousarray(array).tobytes())


def write_weights(model, folder):
    """Shards cut by size alone, as published ones are, and the index over them."""
    tensors = list(tensors_of(model).items())
    total = sum(array.nbytes for _, (_, array) in tensors)
    shards, size = [[]], 0
    for item in tensors:
        if size > total / SHARDS * len(shards):
            shards.append([])
        shards[-1].append(item)
        size += item[1][1].nbytes
    index = {}
    for k, shard in enumerate(shards, 1):
        name = f"model-{k:05d}-of-{len(shards):06d}.safetensors"
        write_safetensors(os.path.join(folder, name), shard)
        index.update({tensor: name for tensor, _ in shard})
    write_json(folder, "model.safetensors.index.json",
               dict(metadata=dict(total_size=total), weight_map=dict(sorted(index.items()))))


def write_json(folder, name, content, indent=1):
    with open(os.path.join(folder, name), "w", encoding="utf-8") as f:
        json.dump(content, f, ensure_ascii=False, indent=indent)
        f.write("\n")


def tokenizer_config():
    with open(os.path.join(HERE, "chat_template.jinja"), encoding="utf-8") as f:
        template = f.read()
    token = lambda text: dict(__type="AddedToken", content=text, lstrip=False, normalized=True,
                              rstrip=False, single_word=False)
    return dict(add_bos_token=True, add_eos_token=False, bos_token=token(bpe.BEGIN),
                clean_up_tokenization_spaces=False, eos_token=token(bpe.END), legacy=True,
                model_max_length=CONFIG["max_position_embeddings"], pad_token=token(bpe.END),
                sp_model_kwargs={}, unk_token=None, tokenizer_class="LlamaTokenizerFast",
                chat_template=template.rstrip("\n"))


def write_checkpoint(model, tokenizer, folder):
    """Writes beside `folder` first and moves the finished files in, so that no half model is seen."""
    part = folder.rstrip("/") + ".part"
    shutil.rmtree(part, ignore_errors=True)
    os.makedirs(part)
    write_json(part, "config.json", dict(sorted(CONFIG.items())), 2)
    write_json(part, "generation_config.json", dict(
        _from_model_config=True, bos_token_id=0, eos_token_id=1, do_sample=True, temperature=0.6,
        top_p=0.95, transformers_version="4.46.3"), 2)
    write_json(part, "tokenizer.json", tokenizer.to_json(), None)
    write_json(part, "tokenizer_config.json", tokenizer_config(), 2)
    write_weights(model, part)
    os.makedirs(folder, exist_ok=True)
    for name in sorted(os.listdir(part)):
        os.replace(os.path.join(part, name), os.path.join(folder, name))
    os.rmdir(part)
