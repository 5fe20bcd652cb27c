// The openai client: log-probabilities.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import OpenAI, { BadRequestError } from 'openai';

import { assertGreedyLogprobs, bytesToText, collect, question, questions, user } from './chat.mjs';
import { describeServer, fathomScore, greedyRun, key, model, textOf } from './server.mjs';

describeServer('openai: log-probabilities', [], (server) => {
  const chat = (options) =>
    new OpenAI({ baseURL: server.api, apiKey: key, maxRetries: 0 }).chat.completions.create({
      model, messages: [user(question)], temperature: 0, ...options,
    });

  for (const text of questions) {
    test(`"${text}": the tokens' bytes join to the answer, the likeliest first`, async () => {
      const run = await greedyRun(text);
      const answer = await chat({ messages: [user(text)], logprobs: true, top_logprobs: 5, return_token_ids: true });
      const [choice] = answer.choices;
      const tokens = choice.logprobs.content;
      assert.equal(tokens.length, choice.token_ids.length);
      assert.equal(bytesToText(tokens), await textOf(choice.token_ids));
      assert.ok(bytesToText(tokens).startsWith(`${run.reasoning}\n</think>\n\n${run.text}`));
      assertGreedyLogprobs(tokens, 5);
    });
  }

  test('they are those that fathom score gives the same tokens', async () => {
    const answer = await chat({ logprobs: true, top_logprobs: 3, return_token_ids: true });
    const ids = [...answer.prompt_token_ids, ...answer.choices[0].token_ids];
    const score = await fathomScore(ids, 3);
    const first = answer.prompt_token_ids.length - 1;
    for (const [i, token] of answer.choices[0].logprobs.content.entries()) {
      // Both are natural logarithms of float32 logits of the same model; they are summed in different orders.
      assert.ok(Math.abs(token.logprob - score.logprobs[first + i]) < 1e-4, `${token.logprob} at ${i}`);
      const expected = score.top[first + i].map(([, logprob]) => logprob);
      for (const [k, top] of token.top_logprobs.entries()) assert.ok(Math.abs(top.logprob - expected[k]) < 1e-4);
    }
  });

  test('streamed they are the same', async () => {
    const options = { logprobs: true, top_logprobs: 2 };
    const whole = (await chat(options)).choices[0].logprobs.content;
    const chunks = await collect(await chat({ ...options, stream: true }));
    assert.deepEqual(chunks.flatMap((chunk) => chunk.choices[0].logprobs?.content ?? []), whole);
  });

  test('without top_logprobs only the chosen token is there', async () => {
    const tokens = (await chat({ logprobs: true, max_tokens: 6 })).choices[0].logprobs.content;
    assert.equal(tokens.length, 6);
    for (const token of tokens) {
      assert.deepEqual(token.top_logprobs, []);
      assert.ok(token.logprob <= 0);
    }
  });

  test('each of several choices has its own', async () => {
    const answer = await chat({ n: 2, seed: 5, temperature: 1.5, logprobs: true, return_token_ids: true });
    for (const choice of answer.choices) {
      assert.equal(bytesToText(choice.logprobs.content), await textOf(choice.token_ids));
    }
  });

  for (const wrong of [{ top_logprobs: 3 }, { logprobs: true, top_logprobs: 21 }, { logprobs: true, top_logprobs: -1 }]) {
    test(`${JSON.stringify(wrong)} is refused`, async () => {
      await assert.rejects(chat(wrong), (error) => {
        assert.ok(error instanceof BadRequestError);
        assert.equal(error.param, 'top_logprobs');
        return true;
      });
    });
  }
});
