// The program under test: `fathom serve` with the demo model on a free port, and the commands that say what the
// server's answers have to be.

import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';

const root = fileURLToPath(new URL('../..', import.meta.url));
const program = process.env.FATHOM_PROGRAM ?? `${root}/build/release/fathom`;
export const model = 'fathom-demo';
export const key = 'key-of-the-client-tests';
export const maxModelLen = 2048; // of the demo model

class Server {
  #flags;
  #child;
  #ended;
  output = '';
  url = '';

  constructor(flags) {
    this.#flags = flags;
  }

  get api() {
    return `${this.url}/v1`;
  }

  // Returns once the server is ready; fails with all that it wrote when it is not.
  async start() {
    const args = ['serve', '--port', '0', '--api-key', key, '--threads', '1', ...this.#flags];
    this.#child = spawn(program, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
    // A test file that dies must not leave its server behind.
    process.on('exit', () => this.kill());
    this.#ended = new Promise((resolve, reject) => {
      this.#child.on('error', reject);
      this.#child.on('close', (code, signal) => resolve(signal ?? code));
    });
    const ready = new Promise((resolve) => {
      const read = (bytes) => {
        this.output += bytes;
        const line = /^ready: (\S+) as '(.*)'$/m.exec(this.output);
        if (line) resolve(line);
      };
      this.#child.stdout.on('data', read);
      this.#child.stderr.on('data', read);
    });
    const first = await Promise.race([ready, this.#ended]);
    assert.ok(Array.isArray(first), `fathom serve ended with ${first}:\n${this.output}`);
    this.url = first[1];
    assert.equal(first[2], model);
  }

  // SIGTERM ends the server with every request answered, which is success.
  async stop() {
    this.#child.kill('SIGTERM');
    const end = await this.#ended;
    const last = this.output.trimEnd().split('\n').slice(-5).join('\n');
    assert.equal(end, 0, last);
    assert.match(last, /^all requests were answered$/m);
  }

  kill() {
    this.#child?.kill('SIGKILL');
  }

  post(path, body, headers = {}) {
    return fetch(this.url + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
  }

  // The sum of a metric over its lines in /metrics; those alone that have `label`.
  async metrics(...wanted) {
    const lines = (await (await fetch(`${this.url}/metrics`)).text()).split('\n');
    return wanted.map(([name, label = '']) => {
      const found = lines.filter((line) => line.startsWith(`${name}{`) && line.includes(label));
      assert.ok(found.length > 0, `no ${name} with '${label}' in /metrics`);
      return found.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' ') + 1)), 0);
    });
  }

  // Returns once the engine computes a request.
  async becomesBusy() {
    for (;;) {
      const [running] = await this.metrics(['vllm:num_requests_running']);
      if (running > 0) return;
    }
  }

  // Returns once every answer to a prompt that was begun has ended: {running, cancelled}. The requests before it have
  // one prompt each.
  async settles() {
    for (;;) {
      const [ended, begun, running, cancelled] = await this.metrics(
        ['vllm:request_success_total'], ['vllm:request_params_n_sum'], ['vllm:num_requests_running'],
        ['vllm:request_success_total', 'finished_reason="cancelled"']);
      if (ended === begun) return { running, cancelled };
    }
  }

  // What `abort` does cancels so many answers and leaves nothing running.
  async assertCancels(count, abort) {
    const before = await this.settles();
    await abort();
    assert.deepEqual(await this.settles(), { running: 0, cancelled: before.cancelled + count });
  }
}

// A group of tests with a server of its own. That the server ends well is the last of them: what fails in `after`
// is not counted.
export function describeServer(name, flags, define) {
  describe(name, () => {
    const server = new Server(flags);
    before(() => server.start());
    define(server);
    test('the server ends in order', () => server.stop());
    after(() => server.kill());
  });
}

// What a command prints, as JSON. The same arguments give the same: each set is run once.
const known = new Map();
function fathomJson(args) {
  const name = JSON.stringify(args);
  if (!known.has(name)) {
    const run = promisify(execFile)(program, args, { cwd: root });
    known.set(name, run.then(({ stdout }) => JSON.parse(stdout)));
  }
  return known.get(name);
}

// {ids, text, reasoning, finish_reason, usage}
export function fathomRun(prompt, ...flags) {
  return fathomJson(['run', '-p', prompt, '--json', '--threads', '1', ...flags]);
}

export function greedyRun(prompt, ...flags) {
  return fathomRun(prompt, '--temperature', '0', ...flags);
}

// {ids, logprobs, top}: entry i is of ids[i + 1], given what comes before it.
export async function fathomScore(ids, top) {
  const args = ['score', 'models/demo', '--input', '-', '--output', '-', '--top', `${top}`, '--threads', '1'];
  const child = promisify(execFile)(program, args, { cwd: root });
  child.child.stdin.end(`${JSON.stringify({ id: 'answer', ids })}\n`);
  return JSON.parse((await child).stdout);
}

// The text of ids, control tokens included, or the ids of a text.
export async function textOf(ids) {
  return (await fathomJson(['tokenize', 'models/demo', '--ids', ids.join(), '--json'])).text;
}
export async function idsOf(text) {
  return (await fathomJson(['tokenize', 'models/demo', '--text', text, '--json'])).ids;
}
