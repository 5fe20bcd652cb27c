// @ai-sdk/openai-compatible, through the interface that the functions of the AI SDK call.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { APICallError } from '@ai-sdk/provider';

import {
  assertGreedyLogprobs, assertTooLong, bytesToText, collect, endless, question, questions, stopAcrossTokens, tooLong,
} from './chat.mjs';
import { describeServer, fathomRun, greedyRun, idsOf, key, maxModelLen, model, textOf } from './server.mjs';

const says = (role, text) => ({ role, content: [{ type: 'text', text }] });

describeServer('ai-sdk', [], (server) => {
  const provider = (options) =>
    createOpenAICompatible({ name: 'fathom', baseURL: server.api, apiKey: key, ...options });
  const asking = () => provider({ includeUsage: true })(model);
  // `fields`: of the request, which the SDK has no names for.
  const request = ({ prompt = question, fields = {}, ...options }) => ({
    prompt: typeof prompt === 'string' ? [says('user', prompt)] : prompt,
    temperature: 0,
    providerOptions: { fathom: fields },
    ...options,
  });
  const joined = (parts, type) =>
    parts.filter((part) => part.type === type).map((part) => part.text ?? part.delta).join('');

  // Both: {text, reasoning, reason, usage}.
  const generate = async ({ chat = asking(), ...options } = {}) => {
    const { content, finishReason, usage, response } = await chat.doGenerate(request(options));
    const [text, reasoning] = [joined(content, 'text'), joined(content, 'reasoning')];
    return { text, reasoning, reason: finishReason.unified, usage, response };
  };
  const stream = async ({ chat = asking(), ...options } = {}) => {
    const parts = await collect((await chat.doStream(request(options))).stream);
    const { finishReason, usage } = parts.find((part) => part.type === 'finish');
    const [text, reasoning] = [joined(parts, 'text-delta'), joined(parts, 'reasoning-delta')];
    return { text, reasoning, reason: finishReason.unified, usage };
  };
  const failure = (promise) => promise.then(() => assert.fail('the server answered'), (error) => error);

  for (const prompt of questions) {
    test(`"${prompt}": text and reasoning are those of fathom run, streamed too`, async () => {
      const run = await greedyRun(prompt);
      for (const answer of [await generate({ prompt }), await stream({ prompt })]) {
        assert.equal(answer.text, run.text);
        assert.equal(answer.reasoning, run.reasoning);
        assert.equal(answer.reason, 'stop');
      }
    });
  }

  test('usage is that of fathom run, whole and streamed', async () => {
    const { usage } = await greedyRun(question);
    const reasoning = usage.completion_tokens_details.reasoning_tokens;
    await generate(); // from now on the prompt is in the prefix cache
    for (const found of [(await generate()).usage, (await stream()).usage]) {
      const { inputTokens, outputTokens } = found;
      assert.equal(inputTokens.total, usage.prompt_tokens);
      assert.ok(inputTokens.cacheRead > 0 && inputTokens.cacheRead < inputTokens.total);
      assert.equal(inputTokens.noCache, inputTokens.total - inputTokens.cacheRead);
      assert.equal(outputTokens.total, usage.completion_tokens);
      assert.equal(outputTokens.reasoning, reasoning);
      assert.equal(outputTokens.text, usage.completion_tokens - reasoning);
      assert.equal(found.raw.total_tokens, usage.total_tokens);
    }
  });

  test('a stream that does not ask for usage has none', async () => {
    const { text, usage } = await stream({ chat: provider()(model) });
    assert.equal(text, (await greedyRun(question)).text);
    assert.equal(usage.raw, undefined);
  });

  test('system and earlier turns are part of the prompt', async () => {
    const answer = await generate({
      prompt: [
        { role: 'system', content: 'Be brief.' }, says('user', 'Hello!'), says('assistant', 'Hello.'),
        says('user', question),
      ],
      fields: { return_token_ids: true },
    });
    assert.equal(await textOf(answer.response.body.prompt_token_ids),
      '<｜begin▁of▁sentence｜>Be brief.<｜User｜>Hello!<｜Assistant｜>Hello.<｜end▁of▁sentence｜>' +
      `<｜User｜>${question}<｜Assistant｜><think>\n`);
  });

  test('the seed is that of fathom run', async () => {
    const run = await fathomRun(question, '--temperature', '1.5', '--top-p', '1', '--seed', '7');
    const answer = await generate({ temperature: 1.5, topP: 1, seed: 7 });
    assert.equal(answer.text, run.text);
    assert.equal(answer.reasoning, run.reasoning);
  });

  test('maxOutputTokens cuts the answer', async () => {
    const run = await greedyRun(question);
    const answer = await generate({ maxOutputTokens: 5 });
    assert.equal(answer.reason, 'length');
    assert.equal(answer.text, '');
    assert.ok(run.reasoning.startsWith(answer.reasoning));
    assert.equal(answer.usage.outputTokens.total, 5);
  });

  test('a stop text across tokens, and one of four, end the answer, streamed too', async () => {
    const { text, ids } = await greedyRun(question);
    const tokens = await Promise.all((await idsOf(text)).map((id) => textOf([id])));
    assert.ok(ids.length > tokens.length);
    const { stop, before } = stopAcrossTokens(tokens);
    for (const stopSequences of [[stop], ['never', 'said', stop, 'here']]) {
      for (const answer of [await generate({ stopSequences }), await stream({ stopSequences })]) {
        assert.equal(answer.text, before);
        assert.equal(answer.reason, 'stop');
      }
    }
  });

  test('log-probabilities and n go through to the answer', async () => {
    const { response } = await generate({
      fields: { n: 3, logprobs: true, top_logprobs: 4, return_token_ids: true },
    });
    const { choices } = response.body;
    assert.deepEqual(choices.map((choice) => choice.index), [0, 1, 2]);
    for (const choice of choices) {
      assert.equal(bytesToText(choice.logprobs.content), await textOf(choice.token_ids));
      assertGreedyLogprobs(choice.logprobs.content, 4);
    }
    assert.equal(choices[2].message.content, (await greedyRun(question)).text);
  });

  test('n = 3 with a seed: the first is that of n = 1', async () => {
    const sampling = { temperature: 1.5, topP: 1, seed: 3 };
    const one = await generate(sampling);
    const { choices } = (await generate({ ...sampling, fields: { n: 3 } })).response.body;
    assert.equal(choices.length, 3);
    assert.equal(choices[0].message.content, one.text);
    assert.equal(choices[0].message.reasoning_content, one.reasoning);
    assert.equal(new Set(choices.map((choice) => JSON.stringify(choice.message))).size, 3);
  });

  test('a completion continues the dialogue that the SDK writes, streamed too', async () => {
    const options = {
      chat: provider({ includeUsage: true }).completionModel(model), maxOutputTokens: 24, fields: { echo: true },
    };
    const answer = await generate(options);
    const end = answer.text.indexOf('assistant:\n') + 'assistant:\n'.length;
    const run = await greedyRun(answer.text.slice(0, end), '--raw', '--max-tokens', '24', '--stop', '\nuser:');
    assert.equal(answer.text.slice(end), run.text);
    assert.equal(answer.usage.inputTokens.total, run.usage.prompt_tokens);
    assert.equal((await stream(options)).text, answer.text);
  });

  const { max_tokens: maxOutputTokens, ignore_eos } = endless;
  const long = (signal) => request({ maxOutputTokens, fields: { ignore_eos }, abortSignal: signal });

  test('an aborted stream leaves nothing running', () => server.assertCancels(1, async () => {
    const controller = new AbortController();
    const { stream: parts } = await asking().doStream(long(controller.signal));
    const reading = (async () => {
      for await (const part of parts) if (part.type === 'reasoning-delta') controller.abort();
    })();
    assert.equal((await failure(reading)).name, 'AbortError');
  }));

  test('an aborted request for a whole answer leaves nothing running', () => server.assertCancels(1, async () => {
    const controller = new AbortController();
    const refused = failure(asking().doGenerate(long(controller.signal)));
    await server.becomesBusy();
    controller.abort();
    assert.equal((await refused).name, 'AbortError');
  }));

  for (const [name, status, code, options, check] of [
    ['a wrong key', 401, 'invalid_api_key', () => ({ chat: provider({ apiKey: 'wrong' })(model) })],
    ['a wrong model', 404, 'model_not_found', () => ({ chat: provider()('gpt-4o') }),
      ({ message, param }) => assert.ok(param === 'model' && message.includes('gpt-4o'), message)],
    ['a prompt that is too long', 400, 'context_length_exceeded', () => ({ prompt: tooLong }),
      ({ message }) => assertTooLong(message, maxModelLen)],
    ['a bad type', 400, null, () => ({ fields: { min_p: 'much' } }), ({ param }) => assert.equal(param, 'min_p')],
    ['a bad value', 400, null, () => ({ temperature: 9 }), ({ param }) => assert.equal(param, 'temperature')],
  ]) {
    test(`${name} is an APICallError with status ${status}, streamed too`, async () => {
      for (const ask of [generate, stream]) {
        const error = await failure(ask(options()));
        assert.ok(APICallError.isInstance(error), `${error}`);
        assert.equal(error.statusCode, status);
        assert.equal(error.isRetryable, false);
        assert.equal(error.message, error.data.error.message);
        assert.equal(error.data.error.code, code);
        check?.(error.data.error);
      }
    });
  }
});
