// The openai client: what it makes of the server's errors.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import OpenAI, { AuthenticationError, BadRequestError, NotFoundError } from 'openai';

import { assertTooLong, question, tooLong, user } from './chat.mjs';
import { describeServer, key, maxModelLen, model } from './server.mjs';

describeServer('openai: errors', [], (server) => {
  const client = (apiKey = key) => new OpenAI({ baseURL: server.api, apiKey, maxRetries: 0 });
  const chat = (options) => client().chat.completions.create({ model, messages: [user(question)], ...options });
  const failure = (promise) =>
    promise.then(() => assert.fail('the server answered'), (error) => error);

  test('a wrong key is an AuthenticationError, streamed too', async () => {
    for (const stream of [false, true]) {
      const error = await failure(
        client('wrong').chat.completions.create({ model, messages: [user(question)], stream }));
      assert.ok(error instanceof AuthenticationError, `${error}`);
      assert.equal(error.status, 401);
      assert.equal(error.code, 'invalid_api_key');
      assert.equal(error.headers.get('www-authenticate'), 'Bearer');
      assert.ok(!error.message.includes(key));
    }
  });

  test('no key at all is one too', async () => {
    const response = await server.post('/v1/chat/completions', {}, { authorization: '' });
    assert.equal(response.status, 401);
    assert.equal((await response.json()).error.type, 'authentication_error');
  });

  test('a wrong model is a NotFoundError that names those there are', async () => {
    const error = await failure(chat({ model: 'gpt-4o' }));
    assert.ok(error instanceof NotFoundError, `${error}`);
    assert.equal(error.code, 'model_not_found');
    assert.equal(error.param, 'model');
    assert.match(error.message, /gpt-4o.*fathom-demo/);
  });

  test('a prompt that is too long is context_length_exceeded, with both numbers', async () => {
    for (const stream of [false, true]) {
      const error = await failure(chat({ messages: [user(tooLong)], stream }));
      assert.ok(error instanceof BadRequestError, `${error}`);
      assert.equal(error.code, 'context_length_exceeded');
      assert.equal(error.type, 'invalid_request_error');
      assertTooLong(error.message, maxModelLen);
    }
  });

  test('an answer ends where the context does', async () => {
    const { usage } = await chat({ max_tokens: 1 });
    for (const maxTokens of [maxModelLen - usage.prompt_tokens, maxModelLen]) {
      const answer = await chat({ max_tokens: maxTokens, ignore_eos: true });
      assert.equal(answer.choices[0].finish_reason, 'length');
      assert.equal(answer.usage.total_tokens, maxModelLen);
    }
  });

  const wrong = [
    ['temperature', { temperature: 'hot' }],
    ['temperature', { temperature: 3 }],
    ['top_p', { top_p: 0 }],
    ['max_tokens', { max_tokens: '10' }],
    ['max_tokens', { max_tokens: 0 }],
    ['max_tokens', { max_tokens: 1.5 }],
    ['n', { n: 0 }],
    ['n', { n: 'two' }],
    ['stop', { stop: 7 }],
    ['stop[1]', { stop: ['a', 7] }],
    ['seed', { seed: 'x' }],
    ['stream', { stream: 'yes' }],
    ['stream_options.include_usage', { stream: true, stream_options: { include_usage: 'yes' } }],
    ['logprobs', { logprobs: 5 }],
    ['logit_bias[1]', { logit_bias: { 1: 'much' } }],
    ['model', { model: 5 }],
    ['messages', { messages: 'hello' }],
    ['messages', { messages: [] }],
    ['messages[0].role', { messages: [{ role: 'robot', content: 'x' }] }],
    ['messages[0].content', { messages: [{ role: 'user', content: 5 }] }],
    ['messages[1].content[0].type', {
      messages: [user('x'), user([{ type: 'image_url', image_url: { url: 'data:,' } }])],
    }],
    ['response_format.type', { response_format: { type: 'json_object' } }],
    ['tools', { tools: [{ type: 'function', function: { name: 'f' } }] }],
  ];
  for (const [param, options] of wrong) {
    test(`${JSON.stringify(options)} is a BadRequestError that names ${param}`, async () => {
      const error = await failure(chat(options));
      assert.ok(error instanceof BadRequestError, `${error}`);
      assert.equal(error.status, 400);
      assert.equal(error.type, 'invalid_request_error');
      assert.equal(error.param, param);
      assert.ok(error.message.includes(param), error.message);
      assert.ok(error.requestID);
    });
  }

  test('a body that is no JSON is told so', async () => {
    const response = await server.post('/v1/chat/completions', '{"model":');
    assert.equal(response.status, 400);
    const { error } = await response.json();
    assert.equal(error.type, 'invalid_request_error');
    assert.ok(error.message.length > 10);
  });

  test('what the server does not have is a NotFoundError', async () => {
    const error = await failure(client().embeddings.create({ model, input: 'x' }));
    assert.ok(error instanceof NotFoundError, `${error}`);
    assert.equal(error.code, 'unknown_url');
    const wrongMethod = await failure(client().get('/chat/completions'));
    assert.equal(wrongMethod.status, 405);
    assert.equal(wrongMethod.headers.get('allow'), 'POST, OPTIONS');
  });
});
