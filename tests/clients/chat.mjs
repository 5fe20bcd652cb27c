// What the tests of all clients ask, and how they look at what comes back.

import assert from 'node:assert/strict';

export const questions = ['What is MLA?', 'What is continuous batching?', '什么是Fathom？'];
export const question = questions[0];

export function user(content) {
  return { role: 'user', content };
}

// A request that goes on until it is cancelled or has filled the model's context.
export const endless = { max_tokens: 2000, ignore_eos: true, temperature: 0 };

// A prompt that the demo model has no room for.
export const tooLong = 'What is MLA? '.repeat(700);

export async function collect(stream) {
  const items = [];
  for await (const item of stream) items.push(item);
  return items;
}

export function join(parts) {
  return parts.map((part) => part ?? '').join('');
}

// The two numbers of a context_length_exceeded: the prompt did not fit the model.
export function assertTooLong(message, limit) {
  const numbers = /maximum context length is (\d+) tokens.* (\d+) tokens/.exec(message);
  assert.ok(numbers, message);
  assert.equal(Number(numbers[1]), limit);
  assert.ok(Number(numbers[2]) > limit, message);
}

export function bytesToText(tokens) {
  return Buffer.from(tokens.flatMap((token) => token.bytes)).toString('utf8');
}

// What holds for the log-probabilities of a greedy answer: those given are the most likely ones, in order, and the
// first of them was chosen.
export function assertGreedyLogprobs(tokens, top) {
  for (const token of tokens) {
    assert.equal(token.top_logprobs.length, top);
    const [best] = token.top_logprobs;
    assert.deepEqual([best.token, best.logprob, best.bytes], [token.token, token.logprob, token.bytes]);
    const values = token.top_logprobs.map((each) => each.logprob);
    assert.deepEqual(values, [...values].sort((a, b) => b - a));
    const mass = values.reduce((sum, value) => sum + Math.exp(value), 0);
    assert.ok(mass > 0 && mass <= 1 + 1e-9, `probabilities of ${mass}`);
  }
}

// A text that begins in the middle of one token and ends in the middle of the next, and does not occur earlier:
// {stop, before}, where `before` is what comes before it. `tokens`: the texts of tokens that make up a whole answer.
export function stopAcrossTokens(tokens) {
  const whole = tokens.join('');
  for (let i = Math.floor(tokens.length / 2); i + 1 < tokens.length; ++i) {
    const [left, right] = [tokens[i], tokens[i + 1]];
    if (left.length < 2 || right.length < 2) continue;
    const stop = left.slice(-1) + right.slice(0, -1);
    const at = tokens.slice(0, i + 1).join('').length - 1;
    if (whole.indexOf(stop) === at) return { stop, before: whole.slice(0, at) };
  }
  return assert.fail(`no two tokens serve: ${JSON.stringify(tokens)}`);
}

// Runs `body` and returns all delays in milliseconds that were asked of setTimeout meanwhile.
export async function delaysDuring(body) {
  const real = globalThis.setTimeout;
  const delays = [];
  globalThis.setTimeout = (callback, delay, ...rest) => {
    delays.push(delay);
    return real(callback, delay, ...rest);
  };
  try {
    await body();
  } finally {
    globalThis.setTimeout = real;
  }
  return delays;
}
