#!/usr/bin/python3
"""Trains the demo model and writes its checkpoint folder.

Usage: train_demo.py --out models/demo [--steps N]

Needs Debian's python3-torch and two cores; libopenblas0-pthread makes it faster. Two
processes of one thread each share a step's work, which suffers less from other load than one process
with two threads. The same seed gives the same model on the same machine and libraries. An interrupted run
continues when it is started again with the same --work folder.
"""
import argparse
import collections
import json
import os
import shutil
import sys
import tempfile
import time

import torch
import torch.multiprocessing as mp
import torch.nn.functional as F

import bpe
import fp8
from corpus import load_entries, load_heldout, read_generic
from export import write_checkpoint
from fastmm import linear
from model import CONFIG, DeepseekV3
from samples import Sampler

HELDOUT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "models", "demo", "heldout.json")
SEED = 20260
WORKERS, BATCH, POOL = 2, 24, 10        # conversations a worker and step; batches sorted together
RATE, WARMUP, DECAY = 2.5e-3, 60, 0.05
MTP_SHARE, MTP_WEIGHT = 1 / 3, 0.3      # the MTP layer learns from a third of the conversations
QUESTION_DROPOUT = 0.1
ROUNDED_FROM = 0.8                      # from here on the weights are used as they will be stored
FIRST_ROUND = 1300                      # steps before the questions of data/more.txt come in
BALANCE_SPEED = 0.002


def learn_tokenizer(entries):
    """A BPE of the corpus; answers count more, for they are read and written most."""
    counts = collections.Counter()
    for entry in entries:
        texts = [(entry.answer, 10), (entry.reasoning, 10)]
        texts += [(q, 3) for q in entry.questions] + [(q, 1) for q in entry.framed[:20]]
        for text, n in texts:
            for piece in bpe.pre_tokenize(text):
                counts[piece] += n
    for words in read_generic()[0].values():
        for word in words:
            for form in (word, " " + word, word.capitalize()):
                counts[form] += 5
    return bpe.Bpe(bpe.learn_merges(counts, CONFIG["vocab_size"] - 256 - len(bpe.FIRST + bpe.LAST)))


def tokenizer_of_run(work, entries):
    """The tokenizer, learned once a run: learning takes half a minute."""
    path = os.path.join(work, "merges.json")
    if not os.path.exists(path):
        with open(path + ".part", "w", encoding="utf-8") as f:
            json.dump(learn_tokenizer(entries).merges, f)
        os.replace(path + ".part", path)
    with open(path, encoding="utf-8") as f:
        return bpe.Bpe([tuple(pair) for pair in json.load(f)])


class FlatParameters:
    """All parameters and gradients as two vectors; the optimiser and the exchange see only these."""

    def __init__(self, model):
        self.named = list(model.named_parameters())
        self.values = torch.cat([p.detach().flatten() for _, p in self.named])
        self.grads = torch.zeros_like(self.values)
        self.master = self.values.clone()
        self.decay = torch.zeros_like(self.values)
        self.spans, at = [], 0
        for _, p in self.named:
            n = p.numel()
            p.data = self.values[at:at + n].view_as(p)
            p.grad = self.grads[at:at + n].view_as(p)
            self.decay[at:at + n] = DECAY if p.dim() > 1 else 0.0
            self.spans.append((at, at + n))
            at += n

    def publish(self, rounding):
        """Makes the model use the master values, rounded as export.py will store them if asked."""
        if not rounding:
            self.values.copy_(self.master)
            return
        for (name, p), (begin, end) in zip(self.named, self.spans):
            p.data.copy_(stored(name, self.master[begin:end].view_as(p)))


def stored(name, value):
    """A parameter after the checkpoint's number format."""
    if name.endswith("experts_in"):
        return fp8.rounded(value.view(-1, value.shape[1] // 2, value.shape[2])).view_as(value)
    if name.endswith(("_proj", "_proj_with_mqa", "experts_down")) and not name.endswith("eh_proj"):
        return fp8.rounded(value)
    return value.bfloat16().float()


class AdamW:
    def __init__(self, flat):
        self.flat, self.mean, self.square = flat, torch.zeros_like(flat.master), torch.zeros_like(flat.master)

    def step(self, grads, rate, number):
        b1, b2 = 0.9, 0.95
        self.mean.mul_(b1).add_(grads, alpha=1 - b1)
        self.square.mul_(b2).addcmul_(grads, grads, value=1 - b2)
        scale = (self.square / (1 - b2 ** number)).sqrt_().add_(1e-8)
        self.flat.master.sub_(self.flat.decay * self.flat.master, alpha=rate)
        self.flat.master.addcdiv_(self.mean, scale, value=-rate / (1 - b1 ** number))


def tensors_of(batch):
    """Right-padded ids, target weights and question marks [B, T]."""
    steps = -(-max(len(ids) for ids, _, _ in batch) // 8) * 8
    pad = lambda rows, fill: torch.tensor([list(r) + [fill] * (steps - len(r)) for r in rows])
    ids, weight, asked = zip(*batch)
    return pad(ids, CONFIG["eos_token_id"]), pad(weight, 0.0), pad(asked, False)


def weighted_loss(states, head, targets, weight):
    """Sum of weight * cross entropy over the positions that have a weight."""
    keep = weight > 0
    losses = F.cross_entropy(linear(states[keep], head), targets[keep], reduction="none")
    return (losses * weight[keep]).sum()


def losses_of(model, batch):
    """(main loss, MTP loss) summed over tokens, and the weight that each was summed over."""
    ids, weight, asked = tensors_of(batch)
    keep = ~(asked & (torch.rand(ids.shape) < QUESTION_DROPOUT))
    embedded = F.embedding(ids, model.embed_tokens) * keep.unsqueeze(-1)
    states = model(embedded)
    main = weighted_loss(states[:, :-1], model.lm_head, ids[:, 1:], weight[:, 1:])
    some = torch.randperm(len(ids))[:max(1, round(len(ids) * MTP_SHARE))]
    drafts = model.draft(embedded[some], states[some])
    answers = (weight[some, 2:] == 1).float()
    mtp = weighted_loss(drafts[:, :-1], model.lm_head, ids[some, 2:], answers)
    return main, mtp, weight[:, 1:].sum(), answers.sum()


class Worker:
    """One of the processes: its share of each batch, and the same update as all the others."""

    def __init__(self, rank, args, shared, barrier, bpe_model):
        torch.set_num_threads(1)
        torch.manual_seed(SEED)
        self.rank, self.args, self.shared, self.barrier = rank, args, shared, barrier
        self.model = DeepseekV3(CONFIG)
        self.flat = FlatParameters(self.model)
        self.adam = AdamW(self.flat)
        self.bpe, self.heldout = bpe_model, load_heldout(HELDOUT)
        self.begin = self.restore()

    def state_path(self):
        return os.path.join(self.args.work, "state.pt")

    def restore(self):
        """Continues from the last saved step, if there is one."""
        if not os.path.exists(self.state_path()):
            return 0
        state = torch.load(self.state_path())
        self.flat.master.copy_(state["master"])
        self.adam.mean.copy_(state["mean"])
        self.adam.square.copy_(state["square"])
        for gate, bias in zip(self.model.gates(), state["biases"]):
            gate.e_score_correction_bias.copy_(bias)
        self.flat.publish(False)
        return state["step"]

    def save(self, step):
        state = dict(master=self.flat.master, mean=self.adam.mean, square=self.adam.square, step=step,
                     biases=[g.e_score_correction_bias for g in self.model.gates()])
        torch.save(state, self.state_path() + ".part")
        os.replace(self.state_path() + ".part", self.state_path())

    def exchange(self, step, numbers):
        """Adds gradients, expert loads and the given numbers of all workers."""
        loads = torch.cat([gate.load for gate in self.model.gates()])
        # Two buffers in turn: a fast worker may write the next step while a slow one still reads this one.
        mine = self.shared[step % 2]
        mine[self.rank].copy_(torch.cat((self.flat.grads, loads, numbers)))
        self.barrier.wait()
        total = mine.sum(0)
        size = self.flat.grads.numel()
        for gate, load in zip(self.model.gates(), total[size:size + len(loads)].split(CONFIG["n_routed_experts"])):
            gate.load.copy_(load)
        return total[:size], total[size + len(loads):]

    def round_end(self, step):
        """Where the learning rate of this step's round reaches zero."""
        return min(FIRST_ROUND, self.args.steps) if step < FIRST_ROUND else self.args.steps

    def update(self, step, grads):
        norm = grads.norm()
        grads = grads * min(1.0, 1.0 / float(norm))
        end = self.round_end(step)
        left = 1 - step / end
        rate = RATE * min(1.0, (step + 1) / WARMUP) * min(1.0, left / 0.7)
        self.adam.step(grads, rate, step + 1)
        for gate in self.model.gates():
            gate.balance(BALANCE_SPEED * min(1.0, 2 * left))
        self.flat.publish(step >= ROUNDED_FROM * end)

    def one_step(self, step, batch):
        torch.manual_seed(SEED + 1000003 * self.rank + step)
        self.flat.grads.zero_()
        main, mtp, weight, mtp_weight = losses_of(self.model, batch)
        # Divided by about the size of a batch here, so that the sum over workers is a mean.
        (main / 1600 + MTP_WEIGHT * mtp / (1600 * MTP_SHARE)).backward()
        numbers = torch.stack((main.detach(), mtp.detach(), weight, mtp_weight))
        grads, numbers = self.exchange(step, numbers)
        self.update(step, grads)
        return numbers

    def run(self):
        started, batches, sums = time.time(), [], torch.zeros(4)
        for step in range(self.begin, self.args.steps):
            if not batches or step == FIRST_ROUND:
                sampler = Sampler(load_entries(step >= FIRST_ROUND), self.bpe, SEED + 7919 * step + self.rank, self.heldout)
                batches = sampler.batches(BATCH, POOL)
            sums += self.one_step(step, batches.pop())
            if self.rank == 0 and (step + 1) % 20 == 0:
                pace = (time.time() - started) / (step + 1 - self.begin)
                print(f"step {step + 1}/{self.args.steps} loss {sums[0] / sums[2]:.4f} mtp {sums[1] / sums[3]:.4f} "
                      f"{pace:.2f} s/step, {pace * (self.args.steps - step - 1) / 60:.0f} min left", flush=True)
                sums.zero_()
            if (step + 1) % 100 == 0 and self.rank == 0:
                self.save(step + 1)
        if self.rank == 0:
            self.save(self.args.steps)


def work(rank, args, shared, barrier, bpe_model):
    Worker(rank, args, shared, barrier, bpe_model).run()


def trained_model(path):
    """The model with the master values of a saved state; export rounds them."""
    model = DeepseekV3(CONFIG)
    flat, state = FlatParameters(model), torch.load(path)
    flat.values.copy_(state["master"])
    for gate, bias in zip(model.gates(), state["biases"]):
        gate.e_score_correction_bias.copy_(bias)
    return model


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--out", required=True, help="folder that gets the checkpoint; other files there stay")
    ap.add_argument("--work", help="folder for the state of the run (default: a temporary one)")
    ap.add_argument("--steps", type=int, default=1700)
    args = ap.parse_args()
    temporary = None if args.work else tempfile.mkdtemp(prefix="fathom-demo-")
    args.work = args.work or temporary
    os.makedirs(args.work, exist_ok=True)
    started = time.time()
    tokenizer = tokenizer_of_run(args.work, load_entries(False))
    size = sum(p.numel() for p in DeepseekV3(CONFIG).parameters())
    extra = CONFIG["n_routed_experts"] * len(DeepseekV3(CONFIG).gates()) + 4
    print(f"{len(tokenizer.tokens)} tokens, {size} parameters, {time.time() - started:.0f} s", flush=True)
    shared = torch.zeros(2, WORKERS, size + extra).share_memory_()
    barrier = mp.get_context("spawn").Barrier(WORKERS)
    mp.spawn(work, (args, shared, barrier, tokenizer), nprocs=WORKERS)
    write_checkpoint(trained_model(os.path.join(args.work, "state.pt")), tokenizer, args.out)
    print(f"wrote {args.out} after {(time.time() - started) / 60:.1f} min")
    if temporary:
        shutil.rmtree(temporary)


if __name__ == "__main__":
    sys.exit(main())
