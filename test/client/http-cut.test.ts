import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { httpRun } from '../../src/client/http/runs.ts';
import { HttpServer } from '../../src/client/http/server.ts';

test('a result whose connection breaks off in the middle is asked for again', async () => {
  let asked = 0;
  const result = JSON.stringify({ answer: 'Yes.' });
  const server = createServer((_, response) => {
    asked += 1;
    response.writeHead(200, { 'content-length': result.length });
    if (asked > 1) return response.end(result);
    response.write(result.slice(0, 9), () => response.destroy());
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  try {
    expect(await httpRun(new HttpServer(url, 't'), 'q1').result()).toEqual({ answer: 'Yes.' });
  } finally {
    server.closeAllConnections();
    server.close();
  }
});
