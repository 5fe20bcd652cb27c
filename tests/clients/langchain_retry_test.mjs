// @langchain/openai: a server that is full. LangChain retries by delays of its own.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ChatOpenAI } from '@langchain/openai';

import { question } from './chat.mjs';
import { fullServer } from './full_server.mjs';
import { describeServer, greedyRun, key, model } from './server.mjs';

describeServer('langchain: a full server', fullServer.flags, (server) => {
  const ask = (maxRetries, fetch) =>
    new ChatOpenAI({ model, apiKey: key, temperature: 0, maxRetries, configuration: { baseURL: server.api, fetch } })
      .invoke(question);

  test('without retries it is a rate limit', async () => {
    const full = await fullServer.fill(server);
    await assert.rejects(ask(0), (error) => {
      assert.equal(error.status, 429, `${error}`);
      assert.equal(error.code, 'queue_full');
      assert.equal(error.lc_error_code, 'MODEL_RATE_LIMIT');
      return true;
    });
    await full.empty();
  });

  test('with retries there is an answer once there is room', async () => {
    const full = await fullServer.fill(server);
    const answer = await ask(3, full.fetch);
    assert.deepEqual(full.statuses, [429, 200]);
    assert.equal(answer.content, (await greedyRun(question)).text);
  });
});
