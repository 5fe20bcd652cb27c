// Many at once: answers are those that each request gets alone, and nobody is left without one.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { join, questions, user } from './chat.mjs';
import { describeServer, greedyRun, model } from './server.mjs';

// The events of a streamed answer, the last of them "[DONE]".
async function events(response) {
  const text = await response.text();
  assert.ok(text.endsWith('data: [DONE]\n\n'), text.slice(-200));
  return text.split('\n\n').filter((event) => event.startsWith('data: ')).map((event) => event.slice(6));
}

// {content, reasoning} of a streamed chat.
async function streamed(server, body) {
  const response = await server.post('/v1/chat/completions', { model, stream: true, ...body });
  assert.equal(response.status, 200);
  const deltas = (await events(response)).slice(0, -1).map((event) => JSON.parse(event).choices[0].delta);
  return {
    content: join(deltas.map((delta) => delta.content)),
    reasoning: join(deltas.map((delta) => delta.reasoning_content)),
  };
}

describeServer('a crowd: the same answers', [], (server) => {
  const greedy = (text) => ({ messages: [user(text)], temperature: 0 });
  const seeded = (seed) => ({ messages: [user(questions[seed % 3])], temperature: 1.2, top_p: 1, seed, max_tokens: 100 });

  test('16 streams at once are the answers that each gets alone', async () => {
    const bodies = Array.from({ length: 16 }, (_, i) => (i % 2 === 0 ? greedy(questions[i % 3]) : seeded(i)));
    const together = await Promise.all(bodies.map((body) => streamed(server, body)));
    for (const [i, body] of bodies.entries()) {
      assert.deepEqual(together[i], await streamed(server, body), `answer ${i}`);
      if (body.temperature > 0) continue;
      const run = await greedyRun(questions[i % 3]);
      assert.deepEqual(together[i], { content: run.text, reasoning: run.reasoning });
    }
  });
});

describeServer('a crowd: 1000 streams', ['--max-queue', '600'], (server) => {
  test('each is answered whole, or told to come again', async () => {
    const body = { model, messages: [user(questions[0])], stream: true, max_tokens: 2, ignore_eos: true };
    const answers = await Promise.all(Array.from({ length: 1000 }, async () => {
      const response = await server.post('/v1/chat/completions', body);
      if (response.status === 200) return (await events(response)).length > 0 && 'answered';
      const { error } = await response.json();
      assert.ok([429, 503].includes(response.status), `${response.status}: ${error.message}`);
      assert.ok(error.message && Number(response.headers.get('retry-after')) > 0);
      return 'refused';
    }));
    const answered = answers.filter((answer) => answer === 'answered').length;
    assert.ok(answered >= 600, `${answered} of 1000 were answered`);
    assert.equal((await server.settles()).running, 0);
  });

  test('after it the server answers as before', async () => {
    const run = await greedyRun(questions[0]);
    const answer = await streamed(server, { messages: [user(questions[0])], temperature: 0 });
    assert.equal(answer.content, run.text);
  });
});
