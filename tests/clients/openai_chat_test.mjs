// The openai client: whole answers.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import OpenAI from 'openai';

import { question, questions, stopAcrossTokens, user } from './chat.mjs';
import { describeServer, fathomRun, greedyRun, key, model, textOf } from './server.mjs';

describeServer('openai: whole chats', [], (server) => {
  const chat = (messages, options = {}) =>
    new OpenAI({ baseURL: server.api, apiKey: key, maxRetries: 0 }).chat.completions.create({
      model,
      messages: typeof messages === 'string' ? [user(messages)] : messages,
      temperature: 0,
      ...options,
    });

  for (const text of questions) {
    test(`"${text}" is answered as fathom run answers it`, async () => {
      const run = await greedyRun(text);
      const answer = await chat(text, { return_token_ids: true });
      const [choice] = answer.choices;
      assert.equal(answer.object, 'chat.completion');
      assert.equal(answer.model, model);
      assert.match(answer.id, /^chatcmpl-./);
      assert.equal(answer.choices.length, 1);
      assert.equal(choice.message.role, 'assistant');
      assert.equal(choice.message.content, run.text);
      assert.equal(choice.message.reasoning_content, run.reasoning);
      assert.equal(choice.finish_reason, run.finish_reason);
      assert.equal(choice.logprobs, null);
      assert.deepEqual(choice.token_ids.slice(0, run.ids.length), run.ids);
    });

    test(`"${text}" has the usage of fathom run`, async () => {
      const { usage } = await greedyRun(text);
      const answer = await chat(text, { return_token_ids: true });
      assert.equal(answer.usage.prompt_tokens, usage.prompt_tokens);
      assert.equal(answer.usage.completion_tokens, usage.completion_tokens);
      assert.equal(answer.usage.total_tokens, usage.prompt_tokens + usage.completion_tokens);
      assert.equal(answer.usage.completion_tokens_details.reasoning_tokens,
        usage.completion_tokens_details.reasoning_tokens);
      assert.equal(answer.prompt_token_ids.length, usage.prompt_tokens);
    });
  }

  test('a prompt that comes again is read from the cache, and the answer is the same', async () => {
    const messages = [{ role: 'system', content: 'A prompt of this test alone. '.repeat(8) }, user(question)];
    const [first, second] = [await chat(messages), await chat(messages)];
    assert.ok(first.usage.prompt_tokens_details.cached_tokens < first.usage.prompt_tokens / 2);
    const cached = second.usage.prompt_tokens_details.cached_tokens;
    assert.ok(cached > second.usage.prompt_tokens / 2 && cached < second.usage.prompt_tokens, `${cached}`);
    assert.equal(second.usage.prompt_cache_hit_tokens, cached);
    assert.equal(second.usage.prompt_cache_miss_tokens, second.usage.prompt_tokens - cached);
    assert.deepEqual(second.choices, first.choices);
  });

  test('system messages and earlier turns are part of the prompt', async () => {
    const first = await greedyRun('Hello!');
    const messages = [
      { role: 'system', content: 'Be brief.' },
      user('Hello!'),
      { role: 'assistant', content: first.text },
      user(question),
    ];
    const answer = await chat(messages, { return_token_ids: true });
    assert.equal(await textOf(answer.prompt_token_ids),
      `<｜begin▁of▁sentence｜>Be brief.<｜User｜>Hello!<｜Assistant｜>${first.text}` +
      `<｜end▁of▁sentence｜><｜User｜>${question}<｜Assistant｜><think>\n`);
    assert.equal(answer.usage.prompt_tokens, answer.prompt_token_ids.length);
  });

  test('content in parts, and the role developer, are read', async () => {
    const whole = await chat([{ role: 'system', content: 'Be brief.' }, user('What is MLA?')],
      { return_token_ids: true });
    const parts = await chat([{ role: 'developer', content: 'Be brief.' },
      user([{ type: 'text', text: 'What is' }, { type: 'text', text: ' MLA?' }])], { return_token_ids: true });
    const text = await textOf(parts.prompt_token_ids);
    assert.ok(text.includes('Be brief.'), text);
    assert.ok(/What is\s+MLA\?/.test(text), text);
    assert.equal(whole.choices[0].finish_reason, 'stop');
  });

  for (const limit of ['max_tokens', 'max_completion_tokens']) {
    test(`${limit} cuts the answer, within the reasoning too`, async () => {
      const run = await greedyRun(question);
      const short = await chat(question, { [limit]: 5, return_token_ids: true });
      assert.equal(short.choices[0].finish_reason, 'length');
      assert.equal(short.choices[0].message.content, null);
      assert.ok(run.reasoning.startsWith(short.choices[0].message.reasoning_content));
      assert.deepEqual(short.choices[0].token_ids, run.ids.slice(0, 5));
      assert.equal(short.usage.completion_tokens, 5);
      assert.equal(short.usage.completion_tokens_details.reasoning_tokens, 5);
    });
  }

  test('n = 3 with a seed: three choices, the first is that of n = 1 and of fathom run', async () => {
    const sampling = { temperature: 1.5, top_p: 1, seed: 7, return_token_ids: true };
    const one = await chat(question, sampling);
    const three = await chat(question, { ...sampling, n: 3 });
    const run = await fathomRun(question, '--temperature', '1.5', '--top-p', '1', '--seed', '7');
    assert.deepEqual(three.choices.map((choice) => choice.index), [0, 1, 2]);
    assert.deepEqual(three.choices[0].message, one.choices[0].message);
    assert.deepEqual(three.choices[0].token_ids, one.choices[0].token_ids);
    assert.equal(one.choices[0].message.content, run.text);
    assert.equal(one.choices[0].message.reasoning_content, run.reasoning);
    assert.equal(new Set(three.choices.map((choice) => choice.token_ids.join())).size, 3);
    assert.equal(three.usage.prompt_tokens, one.usage.prompt_tokens);
    assert.equal(three.usage.completion_tokens,
      three.choices.reduce((sum, choice) => sum + choice.token_ids.length, 0));
    assert.deepEqual((await chat(question, { ...sampling, n: 3 })).choices, three.choices);
  });

  test('a stop text that lies across two tokens ends the answer before it', async () => {
    const whole = await chat(question, { logprobs: true });
    const texts = whole.choices[0].logprobs.content.map((token) => token.token);
    const end = texts.findIndex((text) => text.includes('</think>'));
    const { stop, before } = stopAcrossTokens(texts.slice(end + 2));
    const [choice] = (await chat(question, { stop })).choices;
    assert.equal(choice.finish_reason, 'stop');
    assert.equal(choice.stop_reason, stop);
    assert.equal(choice.message.content.trimStart(), before.trimStart());
    assert.ok(whole.choices[0].message.content.startsWith(choice.message.content + stop));
    assert.equal(choice.message.reasoning_content, whole.choices[0].message.reasoning_content);
  });

  test('of four stop texts the one that comes first ends the answer', async () => {
    const { text, reasoning } = await greedyRun(question);
    const words = [...new Set(text.split(' '))].filter((word) => word.length > 4 && !reasoning.includes(word));
    const stop = [words[5], 'never said', words[3], words[4]];
    const [choice] = (await chat(question, { stop })).choices;
    const at = Math.min(...stop.map((each) => text.indexOf(each)).filter((each) => each >= 0));
    assert.equal(choice.message.content, text.slice(0, at));
    assert.equal(choice.stop_reason, stop.find((each) => text.indexOf(each) === at));
    assert.equal(choice.finish_reason, 'stop');
  });

  test('logit_bias keeps a token out', async () => {
    const first = (await greedyRun(question)).ids[0];
    const biased = await chat(question, { logit_bias: { [first]: -100 }, max_tokens: 4, return_token_ids: true });
    assert.notEqual(biased.choices[0].token_ids[0], first);
    const run = await greedyRun(question, '--logit-bias', `${first}:-100`, '--max-tokens', '4');
    assert.deepEqual(biased.choices[0].token_ids, run.ids);
  });

  test('fields beyond those of OpenAI: top_k, stop_token_ids, ignore_eos, chat_template_kwargs', async () => {
    const run = await greedyRun(question);
    const likeliest = await chat(question, { temperature: 1, top_k: 1 });
    assert.equal(likeliest.choices[0].message.content, run.text);
    const stopped = await chat(question, { stop_token_ids: [run.ids[3]], return_token_ids: true });
    assert.equal(stopped.choices[0].finish_reason, 'stop');
    assert.equal(stopped.choices[0].stop_reason, run.ids[3]);
    const on = await chat(question, { ignore_eos: true, max_tokens: run.ids.length + 20, return_token_ids: true });
    assert.equal(on.usage.completion_tokens, run.ids.length + 20);
    assert.deepEqual(on.choices[0].token_ids.slice(0, run.ids.length), run.ids);
    const unused = await chat(question, { chat_template_kwargs: { own: 1 } });
    assert.equal(unused.choices[0].message.content, run.text);
  });

  test('a field that nobody knows is no error', async () => {
    const answer = await chat(question, { field_of_some_vendor: { a: 1 }, user: 'u', store: false });
    assert.equal(answer.choices[0].message.content, (await greedyRun(question)).text);
    assert.match(server.output, /field_of_some_vendor/);
  });

  test('reasoning is left out, or stands in the content, as asked', async () => {
    const { text, reasoning } = await greedyRun(question);
    const without = (await chat(question, { include_reasoning: false })).choices[0].message;
    assert.equal(without.content, text);
    assert.equal(without.reasoning_content, undefined);
    const inline = (await chat(question, { separate_reasoning: false })).choices[0].message;
    assert.equal(inline.content, `<think>\n${reasoning}\n</think>\n\n${text}`);
  });
});
