import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { guardedFetch } from '../../src/models/stream-guard.ts';

const endpoint = { provider: 'openai', model: 'm', keyVariable: 'OPENAI_API_KEY', secrets: [] };

const reply = 'data: {"choices":[{"index":0,"delta":{"content":"Paris"},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n';

/** The whole process stands still, as on a laptop that was closed. */
const standStill = (ms: number): string => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);

test('a reply that has come while the process stood still is read, although its time was over', async ({
  onTestFinished,
}) => {
  const server = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.end(reply);
    standStill(3500);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const response = await guardedFetch(endpoint, 2)(`http://127.0.0.1:${port}`);
  expect(await response.text()).toContain('Paris');
});

test('a server from which nothing comes is given up', async ({ onTestFinished }) => {
  const server = createServer(() => {});
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  await expect(guardedFetch(endpoint, 0.2)(`http://127.0.0.1:${port}`)).rejects.toMatchObject({
    type: 'StreamStalled',
  });
});
