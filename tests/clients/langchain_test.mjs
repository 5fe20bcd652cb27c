// @langchain/openai: ChatOpenAI and OpenAI.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AIMessage, HumanMessage, SystemMessage } from '@langchain/core/messages';
import { ChatOpenAI, OpenAI } from '@langchain/openai';

import {
  assertGreedyLogprobs, assertTooLong, bytesToText, collect, endless, join, question, questions, stopAcrossTokens,
  tooLong,
} from './chat.mjs';
import { describeServer, fathomRun, greedyRun, idsOf, key, maxModelLen, model, textOf } from './server.mjs';

describeServer('langchain', [], (server) => {
  const settings = ({ apiKey = key, ...fields } = {}) => ({
    model, apiKey, temperature: 0, maxRetries: 0, configuration: { baseURL: server.api }, ...fields,
  });
  const chat = (fields) => new ChatOpenAI(settings(fields));
  const failure = (promise) => promise.then(() => assert.fail('the server answered'), (error) => error);
  // What the server sent beyond what LangChain has names for.
  const raw = (message) => message.additional_kwargs.__raw_response;

  for (const text of questions) {
    test(`"${text}" is answered as fathom run answers it, streamed too`, async () => {
      const run = await greedyRun(text);
      const answer = await chat().invoke(text);
      assert.equal(answer.content, run.text);
      assert.equal(answer.response_metadata.finish_reason, 'stop');
      assert.equal(answer.response_metadata.model_name, model);
      const chunks = await collect(await chat().stream(text));
      assert.equal(join(chunks.map((chunk) => chunk.content)), run.text);
      assert.ok(chunks.length > 10);
    });
  }

  test('the reasoning is in the raw response, and in the content when asked', async () => {
    const { text, reasoning } = await greedyRun(question);
    const answer = await chat({ __includeRawResponse: true }).invoke(question);
    assert.equal(raw(answer).choices[0].message.reasoning_content, reasoning);
    const chunks = await collect(await chat({ __includeRawResponse: true }).stream(question));
    const deltas = chunks.map((chunk) => raw(chunk)?.choices[0]?.delta.reasoning_content);
    assert.equal(join(deltas), reasoning);
    const inline = `<think>\n${reasoning}\n</think>\n\n${text}`;
    const asked = chat({ modelKwargs: { separate_reasoning: false } });
    assert.equal((await asked.invoke(question)).content, inline);
    assert.equal(join((await collect(await asked.stream(question))).map((chunk) => chunk.content)), inline);
  });

  test('usage is that of fathom run, whole and streamed', async () => {
    const { usage } = await greedyRun(question);
    await chat().invoke(question); // from now on the prompt is in the prefix cache
    const cached = (await chat().invoke(question)).usage_metadata.input_token_details.cache_read;
    assert.ok(cached > 0 && cached < usage.prompt_tokens);
    const said = (message) => message.usage_metadata && JSON.parse(JSON.stringify(message.usage_metadata));
    const expected = {
      input_tokens: usage.prompt_tokens,
      output_tokens: usage.completion_tokens,
      total_tokens: usage.total_tokens,
      input_token_details: { cache_read: cached },
      output_token_details: { reasoning: usage.completion_tokens_details.reasoning_tokens },
    };
    assert.deepEqual(said(await chat().invoke(question)), expected);
    const chunks = await collect(await chat({ streamUsage: true }).stream(question));
    assert.deepEqual(chunks.map(said).filter(Boolean), [expected]);
    const without = await collect(await chat({ streamUsage: false }).stream(question));
    assert.deepEqual(without.map(said).filter(Boolean), []);
  });

  test('system and earlier turns are part of the prompt', async () => {
    const asking = chat({ __includeRawResponse: true, modelKwargs: { return_token_ids: true } });
    const answer = await asking.invoke([
      new SystemMessage('Be brief.'), new HumanMessage('Hello!'), new AIMessage('Hello.'), new HumanMessage(question),
    ]);
    assert.equal(await textOf(raw(answer).prompt_token_ids),
      '<｜begin▁of▁sentence｜>Be brief.<｜User｜>Hello!<｜Assistant｜>Hello.<｜end▁of▁sentence｜>' +
      `<｜User｜>${question}<｜Assistant｜><think>\n`);
  });

  test('log-probabilities: the bytes join to the answer, the likeliest first, streamed too', async () => {
    const asking = chat({
      logprobs: true, topLogprobs: 4, __includeRawResponse: true, modelKwargs: { return_token_ids: true },
    });
    const answer = await asking.invoke(question);
    const tokens = answer.response_metadata.logprobs.content;
    assert.equal(bytesToText(tokens), await textOf(raw(answer).choices[0].token_ids));
    assertGreedyLogprobs(tokens, 4);
    const chunks = await collect(await asking.stream(question));
    assert.deepEqual(chunks.flatMap((chunk) => raw(chunk)?.choices[0]?.logprobs?.content ?? []), tokens);
  });

  test('n = 3 with a seed: three generations, the first is that of n = 1 and of fathom run', async () => {
    const sampling = { temperature: 1.5, topP: 1, modelKwargs: { seed: 7 } };
    const generations = async (n) =>
      (await chat({ ...sampling, n }).generate([[new HumanMessage(question)]])).generations[0];
    const three = (await generations(3)).map((generation) => generation.text);
    const [one] = await generations(1);
    const run = await fathomRun(question, '--temperature', '1.5', '--top-p', '1', '--seed', '7');
    assert.equal(three.length, 3);
    assert.equal(three[0], one.text);
    assert.equal(three[0], run.text);
  });

  test('maxTokens cuts the answer', async () => {
    const answer = await chat({ maxTokens: 5 }).invoke(question);
    assert.equal(answer.response_metadata.finish_reason, 'length');
    assert.equal(answer.content, '');
    assert.equal(answer.usage_metadata.output_tokens, 5);
  });

  test('a stop text across tokens, and one of four, end the answer, streamed too', async () => {
    const { text } = await greedyRun(question);
    const { stop, before } = stopAcrossTokens(await Promise.all((await idsOf(text)).map((id) => textOf([id]))));
    for (const stops of [[stop], ['never', 'said', stop, 'here']]) {
      assert.equal((await chat().invoke(question, { stop: stops })).content, before);
      const chunks = await collect(await chat({ stop: stops }).stream(question));
      assert.equal(join(chunks.map((chunk) => chunk.content)), before);
    }
  });

  test('a batch gets each its answer', async () => {
    const answers = await chat().batch(questions);
    const runs = await Promise.all(questions.map((text) => greedyRun(text)));
    assert.deepEqual(answers.map((answer) => answer.content), runs.map((run) => run.text));
  });

  test('a completion is that of fathom run --raw, streamed too', async () => {
    const prompt = 'Fathom is';
    const { text } = await greedyRun(prompt, '--raw', '--max-tokens', '24');
    const complete = new OpenAI(settings({ maxTokens: 24 }));
    assert.equal(await complete.invoke(prompt), text);
    assert.equal(join(await collect(await complete.stream(prompt))), text);
  });

  const { max_tokens: maxTokens, ignore_eos } = endless;
  const long = () => chat({ maxTokens, modelKwargs: { ignore_eos } });

  test('an aborted stream leaves nothing running', () => server.assertCancels(1, async () => {
    const controller = new AbortController();
    const reading = (async () => {
      const chunks = await long().stream(question, { signal: controller.signal });
      for await (const chunk of chunks) if (chunk.content) controller.abort();
    })();
    assert.match((await failure(reading)).message, /abort/i);
  }));

  test('an aborted request for a whole answer leaves nothing running', () => server.assertCancels(1, async () => {
    const controller = new AbortController();
    const refused = failure(long().invoke(question, { signal: controller.signal }));
    await server.becomesBusy();
    controller.abort();
    assert.match((await refused).message, /abort/i);
  }));

  for (const [name, status, lcCode, options, text, check] of [
    ['a wrong key', 401, 'MODEL_AUTHENTICATION', { apiKey: 'wrong' }, question,
      (error) => assert.equal(error.code, 'invalid_api_key')],
    ['a wrong model', 404, 'MODEL_NOT_FOUND', { model: 'gpt-4o' }, question,
      (error) => assert.deepEqual([error.code, error.param], ['model_not_found', 'model'])],
    ['a prompt that is too long', 400, undefined, {}, tooLong, (error) => {
      assert.equal(error.code, 'context_length_exceeded');
      assertTooLong(error.message, maxModelLen);
    }],
    ['a bad type', 400, undefined, { modelKwargs: { min_p: 'much' } }, question,
      (error) => assert.equal(error.param, 'min_p')],
    ['a bad value', 400, undefined, { temperature: 9 }, question,
      (error) => assert.equal(error.param, 'temperature')],
  ]) {
    test(`${name} is an error with status ${status}, streamed too`, async () => {
      for (const ask of [() => chat(options).invoke(text), async () => collect(await chat(options).stream(text))]) {
        const error = await failure(ask());
        assert.equal(error.status, status, `${error}`);
        assert.equal(error.lc_error_code, lcCode);
        check(error);
      }
    });
  }
});
