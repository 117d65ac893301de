import { createServer } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { Connection } from '@temporalio/client';
import { expect, test } from 'vitest';
import { Retries } from '../../src/client/temporal/runs.ts';

test('no request is made again on a closed connection', async () => {
  const first = Promise.withResolvers<void>();
  const server = createServer().on('stream', (stream) => {
    stream.resume().on('end', () => {
      stream.respond({ ':status': 200, 'content-type': 'application/grpc', 'grpc-status': '14' }, { endStream: true });
      setTimeout(first.resolve, 10);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const retries = new Retries();
  const connection = Connection.lazy({ address: `127.0.0.1:${port}`, interceptors: [retries.interceptor] });
  const asked = connection.workflowService.getSystemInfo({});
  const failed = asked.catch(String);
  await first.promise;
  await retries.end();
  await connection.close();
  expect(await failed).toContain('14 UNAVAILABLE');
  server.close();
});
