// The openai client: a server that is full, and the retry that it asks for.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import OpenAI, { BadRequestError, RateLimitError } from 'openai';

import { delaysDuring, question, user } from './chat.mjs';
import { fullServer } from './full_server.mjs';
import { describeServer, greedyRun, key, model } from './server.mjs';

describeServer('openai: a full server', fullServer.flags, (server) => {
  const client = (options) => new OpenAI({ baseURL: server.api, apiKey: key, ...options });
  const chat = (options, fields = {}) =>
    client(options).chat.completions.create({ model, messages: [user(question)], temperature: 0, ...fields });

  test('without retries it is a RateLimitError that says when to come again', async () => {
    const full = await fullServer.fill(server);
    await assert.rejects(chat({ maxRetries: 0 }), (error) => {
      assert.ok(error instanceof RateLimitError, `${error}`);
      assert.equal(error.code, 'queue_full');
      assert.equal(error.type, 'rate_limit_error');
      assert.ok(Number(error.headers.get('retry-after')) >= 1);
      return true;
    });
    await full.empty();
  });

  test('what there is never room for is a BadRequestError, which is not retried', async () => {
    const error = await chat({ maxRetries: 2 }, { n: 2 }).catch((each) => each);
    assert.ok(error instanceof BadRequestError, `${error}`);
    assert.equal(error.code, 'too_many_answers');
    assert.match(error.message, /asks for 2 answers.*at most 1 at once/);
  });

  test('the client waits as long as the server says, and is answered', async () => {
    const full = await fullServer.fill(server);
    let answer;
    const delays = await delaysDuring(async () => {
      answer = await chat({ maxRetries: 2, fetch: full.fetch });
    });
    assert.deepEqual(full.statuses, [429, 200]);
    assert.ok(delays.includes(1000 * full.retryAfter), `${delays} for ${full.retryAfter} s`);
    assert.equal(answer.choices[0].message.content, (await greedyRun(question)).text);
  });
});
