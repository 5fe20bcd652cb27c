// The openai client: answers as streams, and clients that go away.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import OpenAI, { APIUserAbortError } from 'openai';

import { collect, endless, join, question, questions, user } from './chat.mjs';
import { describeServer, greedyRun, key, model } from './server.mjs';

describeServer('openai: streamed chats', [], (server) => {
  const client = () => new OpenAI({ baseURL: server.api, apiKey: key, maxRetries: 0 });
  const body = (options) => ({ model, messages: [user(question)], temperature: 0, ...options });
  const whole = (options = {}) => client().chat.completions.create(body(options));
  const stream = (options = {}, request = {}) =>
    client().chat.completions.create(body({ ...options, stream: true }), request);
  const ofChoice = (chunks, index) =>
    chunks.flatMap((chunk) => chunk.choices).filter((choice) => choice.index === index);

  for (const text of questions) {
    test(`"${text}" streamed, joined, is the whole answer and that of fathom run`, async () => {
      const messages = [user(text)];
      const run = await greedyRun(text);
      const choices = ofChoice(await collect(await stream({ messages })), 0);
      const { message } = (await whole({ messages })).choices[0];
      const content = join(choices.map((choice) => choice.delta.content));
      const reasoning = join(choices.map((choice) => choice.delta.reasoning_content));
      assert.equal(content, message.content);
      assert.equal(content, run.text);
      assert.equal(reasoning, message.reasoning_content);
      assert.equal(reasoning, run.reasoning);
      assert.ok(choices.length > 10, `${choices.length} chunks`);
      assert.ok(!(content + reasoning).includes('\uFFFD'));
      for (const { delta } of choices) assert.ok(!(delta.content && delta.reasoning_content));
    });
  }

  test('the chunks have one head, begin with the role and end with one reason', async () => {
    const chunks = await collect(await stream());
    const heads = chunks.map(({ id, created, object }) => `${id} ${created} ${object} ${chunks[0].model}`);
    assert.equal(new Set(heads).size, 1);
    assert.equal(chunks[0].object, 'chat.completion.chunk');
    assert.equal(chunks[0].model, model);
    const choices = chunks.map((chunk) => chunk.choices[0]);
    assert.deepEqual(choices[0].delta, { role: 'assistant', content: '' });
    assert.deepEqual(choices.map((choice) => choice.finish_reason),
      [...Array(choices.length - 1).fill(null), 'stop']);
  });

  test('usage: none unasked, the last chunk when asked, all chunks when asked for that', async () => {
    await whole(); // from now on the prompt is in the prefix cache
    const { usage } = await whole();
    for (const stream_options of [undefined, { include_usage: false }]) {
      const chunks = await collect(await stream({ stream_options }));
      assert.ok(chunks.every((chunk) => !('usage' in chunk) && chunk.choices.length === 1));
    }
    const asked = await collect(await stream({ stream_options: { include_usage: true } }));
    assert.deepEqual(asked.at(-1).choices, []);
    assert.deepEqual(asked.at(-1).usage, usage);
    assert.ok(asked.slice(0, -1).every((chunk) => chunk.usage === null && chunk.choices.length === 1));
    const always = await collect(
      await stream({ stream_options: { include_usage: true, continuous_usage_stats: true } }));
    const counts = always.map((chunk) => chunk.usage.completion_tokens);
    assert.deepEqual(counts, [...counts].sort((a, b) => a - b));
    assert.equal(counts[0], 1);
    assert.deepEqual(always.at(-1).usage, usage);
  });

  test('n = 3 streamed is n = 3 whole', async () => {
    const sampling = { n: 3, seed: 11, temperature: 1.5, top_p: 1 };
    const choices = (await whole(sampling)).choices;
    const chunks = await collect(await stream(sampling));
    for (const [index, choice] of choices.entries()) {
      const parts = ofChoice(chunks, index);
      assert.equal(join(parts.map((part) => part.delta.content)), choice.message.content ?? '');
      assert.equal(join(parts.map((part) => part.delta.reasoning_content)), choice.message.reasoning_content);
      assert.deepEqual(parts.map((part) => part.finish_reason).filter(Boolean), [choice.finish_reason]);
    }
  });

  test('a stop text is cut off a stream as off a whole answer', async () => {
    const stop = ['small latent', 'nothing'];
    const expected = (await whole({ stop })).choices[0];
    const choices = ofChoice(await collect(await stream({ stop })), 0);
    assert.ok((await greedyRun(question)).text.startsWith(`${expected.message.content}small latent`));
    assert.equal(join(choices.map((choice) => choice.delta.content)), expected.message.content);
    assert.equal(choices.at(-1).finish_reason, 'stop');
    assert.equal(choices.at(-1).stop_reason, 'small latent');
  });

  test('the helper that collects a stream gets the whole answer', async () => {
    const helper = client().chat.completions.stream(body({ stream_options: { include_usage: true } }));
    const final = await helper.finalChatCompletion();
    const expected = await whole();
    assert.equal(final.choices[0].message.content, expected.choices[0].message.content);
    assert.equal(final.choices[0].finish_reason, 'stop');
    assert.equal(final.usage.total_tokens, expected.usage.total_tokens);
  });

  test('an aborted stream leaves nothing running', () => server.assertCancels(1, async () => {
    const controller = new AbortController();
    for await (const chunk of await stream(endless, { signal: controller.signal })) {
      if (chunk.choices[0].delta.reasoning_content) controller.abort();
    }
  }));

  test('a stream that is no longer read leaves nothing running', () => server.assertCancels(2, async () => {
    for await (const chunk of await stream({ ...endless, n: 2 })) {
      if (chunk.choices[0].delta.reasoning_content) break; // the client closes the connection
    }
  }));

  test('an aborted request for a whole answer leaves nothing running', () => server.assertCancels(1, async () => {
    const controller = new AbortController();
    const answer = client().chat.completions.create(body(endless), { signal: controller.signal });
    const refused = assert.rejects(answer, APIUserAbortError);
    await server.becomesBusy();
    controller.abort();
    await refused;
  }));

  test('after all of this the answer is still the same', async () => {
    assert.equal((await whole()).choices[0].message.content, (await greedyRun(question)).text);
  });
});
