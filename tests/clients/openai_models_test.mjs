// The openai client: the models that there are.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import OpenAI, { AuthenticationError, NotFoundError } from 'openai';

import { collect } from './chat.mjs';
import { describeServer, key, maxModelLen, model } from './server.mjs';

describeServer('openai: models', [], (server) => {
  const models = (apiKey = key) => new OpenAI({ baseURL: server.api, apiKey, maxRetries: 0 }).models;

  test('the list has the demo model, with its length', async () => {
    const list = await collect(models().list());
    assert.deepEqual(list.map((each) => each.id), [model]);
    assert.equal(list[0].object, 'model');
    assert.equal(list[0].max_model_len, maxModelLen);
    assert.match(list[0].root, /demo$/);
    assert.ok(Number.isInteger(list[0].created));
  });

  test('a model is found by its name', async () => {
    const [listed] = await collect(models().list());
    assert.deepEqual({ ...(await models().retrieve(model)) }, { ...listed });
  });

  test('another is a NotFoundError', async () => {
    await assert.rejects(models().retrieve('org/other'), (error) => {
      assert.ok(error instanceof NotFoundError, `${error}`);
      assert.equal(error.code, 'model_not_found');
      assert.match(error.message, /org\/other/);
      return true;
    });
  });

  test('the list needs a key', async () => {
    await assert.rejects(collect(models('wrong').list()), AuthenticationError);
  });
});
