// A server that computes one request and lets none wait, and a request that fills it.

import assert from 'node:assert/strict';

import { endless, user } from './chat.mjs';
import { key, model } from './server.mjs';

class FullServer {
  #server;
  #hold;
  statuses = []; // of the answers that `fetch` got
  retryAfter = 0; // seconds, of the last answer that had them

  constructor(server, hold) {
    this.#server = server;
    this.#hold = hold;
  }

  // Ends the request that fills the server.
  async empty() {
    this.#hold.abort();
    await this.#server.settles();
  }

  // A fetch for a client: the server has room again once it refused a request.
  fetch = async (...request) => {
    const response = await fetch(...request);
    this.statuses.push(response.status);
    if (response.status === 429) {
      this.retryAfter = Number(response.headers.get('retry-after'));
      await this.empty();
    }
    return response;
  };
}

export const fullServer = {
  flags: ['--max-num-seqs', '1', '--max-queue', '0'],

  // Returns once the request that fills the server is being answered.
  async fill(server) {
    const hold = new AbortController();
    const response = await fetch(`${server.api}/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}` },
      body: JSON.stringify({ model, messages: [user('Hello!')], stream: true, ...endless }),
      signal: hold.signal,
    });
    assert.equal(response.status, 200);
    await response.body.getReader().read();
    return new FullServer(server, hold);
  },
};
