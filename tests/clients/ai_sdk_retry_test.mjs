// @ai-sdk/openai-compatible: a server that is full. Retrying is left to its caller, who has to be told enough.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { APICallError } from '@ai-sdk/provider';

import { question } from './chat.mjs';
import { fullServer } from './full_server.mjs';
import { describeServer, greedyRun, key, model } from './server.mjs';

describeServer('ai-sdk: a full server', fullServer.flags, (server) => {
  const generate = (fetch) =>
    createOpenAICompatible({ name: 'fathom', baseURL: server.api, apiKey: key, fetch })(model).doGenerate({
      prompt: [{ role: 'user', content: [{ type: 'text', text: question }] }],
      temperature: 0,
    });

  test('it is an APICallError that may be retried, and says when; then there is an answer', async () => {
    const full = await fullServer.fill(server);
    await assert.rejects(generate(full.fetch), (error) => {
      assert.ok(APICallError.isInstance(error), `${error}`);
      assert.equal(error.statusCode, 429);
      assert.equal(error.isRetryable, true);
      assert.equal(error.data.error.code, 'queue_full');
      assert.ok(Number(error.responseHeaders['retry-after']) >= 1);
      return true;
    });
    const { content } = await generate(full.fetch);
    assert.deepEqual(full.statuses, [429, 200]);
    assert.equal(content.find((part) => part.type === 'text').text, (await greedyRun(question)).text);
  });
});
