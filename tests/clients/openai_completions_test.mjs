// The openai client: completions, which continue a text without the chat template.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import OpenAI, { BadRequestError } from 'openai';

import { assertTooLong, collect, join, tooLong } from './chat.mjs';
import { describeServer, greedyRun, idsOf, key, maxModelLen, model } from './server.mjs';

const prompt = 'Fathom is';

describeServer('openai: completions', [], (server) => {
  const complete = (options) =>
    new OpenAI({ baseURL: server.api, apiKey: key, maxRetries: 0 }).completions.create({
      model, prompt, temperature: 0, max_tokens: 24, ...options,
    });
  const raw = (text) => greedyRun(text, '--raw', '--max-tokens', '24');

  test('a text is continued as fathom run --raw continues it', async () => {
    const run = await raw(prompt);
    const answer = await complete({ return_token_ids: true });
    assert.equal(answer.object, 'text_completion');
    assert.match(answer.id, /^cmpl-./);
    assert.equal(answer.choices[0].text, run.text);
    assert.equal(answer.choices[0].finish_reason, run.finish_reason);
    assert.deepEqual(answer.choices[0].token_ids.slice(0, run.ids.length), run.ids);
    assert.equal(answer.usage.prompt_tokens, run.usage.prompt_tokens);
    assert.equal(answer.usage.completion_tokens, run.usage.completion_tokens);
  });

  test('streamed, joined, it is the same, with usage when asked', async () => {
    await complete(); // from now on the prompt is in the prefix cache
    const whole = await complete();
    const plain = await collect(await complete({ stream: true }));
    assert.equal(join(plain.map((chunk) => chunk.choices[0].text)), whole.choices[0].text);
    assert.ok(plain.every((chunk) => !('usage' in chunk)));
    const chunks = await collect(await complete({ stream: true, stream_options: { include_usage: true } }));
    assert.deepEqual(chunks.at(-1).choices, []);
    assert.deepEqual(chunks.at(-1).usage, whole.usage);
    const reasons = chunks.slice(0, -1).map((chunk) => chunk.choices[0].finish_reason);
    assert.deepEqual(reasons.filter(Boolean), [whole.choices[0].finish_reason]);
  });

  test('ids are continued like the text they make up', async () => {
    const ids = [0, ...(await idsOf(prompt))]; // 0: the token that begins every text
    const answer = await complete({ prompt: ids, return_token_ids: true });
    assert.deepEqual(answer.choices[0].prompt_token_ids, ids);
    assert.equal(answer.choices[0].text, (await raw(prompt)).text);
  });

  test('several prompts get their choices in order, n each', async () => {
    const other = 'MLA is';
    const answer = await complete({ prompt: [prompt, other], n: 2 });
    assert.deepEqual(answer.choices.map((choice) => choice.index), [0, 1, 2, 3]);
    const [first, second] = [await raw(prompt), await raw(other)];
    assert.deepEqual(answer.choices.map((choice) => choice.text), [first.text, first.text, second.text, second.text]);
    assert.equal(answer.usage.prompt_tokens, first.usage.prompt_tokens + second.usage.prompt_tokens);
  });

  test('echo puts the prompt before the text, streamed too', async () => {
    const { text } = await raw(prompt);
    assert.equal((await complete({ echo: true })).choices[0].text, prompt + text);
    const chunks = await collect(await complete({ echo: true, stream: true }));
    assert.equal(join(chunks.map((chunk) => chunk.choices[0].text)), prompt + text);
  });

  test('log-probabilities: the tokens join to the text, each where it says it is', async () => {
    const [choice] = (await complete({ logprobs: 3, max_tokens: 12 })).choices;
    const { tokens, token_logprobs, top_logprobs, text_offset } = choice.logprobs;
    assert.equal(tokens.length, 12);
    assert.equal(tokens.join(''), choice.text);
    for (const [i, token] of tokens.entries()) {
      assert.equal(choice.text.slice(text_offset[i], text_offset[i] + token.length), token);
      const best = Math.max(...Object.values(top_logprobs[i]));
      assert.equal(token_logprobs[i], best);
      assert.equal(top_logprobs[i][token], best);
      assert.equal(Object.keys(top_logprobs[i]).length, 3);
    }
  });

  test('a stop text ends it, and stays when asked', async () => {
    const { text } = await raw(prompt);
    const stop = text.slice(9, 13);
    const before = text.slice(0, text.indexOf(stop));
    const [choice] = (await complete({ stop })).choices;
    assert.equal(choice.text, before);
    assert.equal(choice.finish_reason, 'stop');
    assert.equal(choice.stop_reason, stop);
    const [kept] = (await complete({ stop, include_stop_str_in_output: true })).choices;
    assert.equal(kept.text, before + stop);
  });

  test('a prompt that is too long is refused with both numbers', async () => {
    await assert.rejects(complete({ prompt: tooLong }), (error) => {
      assert.ok(error instanceof BadRequestError);
      assert.equal(error.code, 'context_length_exceeded');
      assertTooLong(error.message, maxModelLen);
      return true;
    });
  });

  for (const [param, options] of [
    ['prompt', { prompt: undefined }],
    ['prompt[1]', { prompt: ['x', { a: 1 }] }],
    ['prompt[0]', { prompt: [4096] }],
    ['logprobs', { logprobs: 6 }],
    ['best_of', { best_of: 4 }],
    ['suffix', { suffix: 'end' }],
  ]) {
    test(`${JSON.stringify(options)} is a BadRequestError that names ${param}`, async () => {
      await assert.rejects(complete(options), (error) => {
        assert.ok(error instanceof BadRequestError, `${error}`);
        assert.equal(error.param, param);
        return true;
      });
    });
  }
});
