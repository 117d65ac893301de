import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { digestOf, imagesIn, pinned } from '../../scripts/pin-images.ts';

const digest = `sha256:${'a'.repeat(64)}`;
const text = `FROM node:24.21.0-slim AS node
FROM node AS build
services:
  a:
    image: temporalio/server:1.32.0@sha256:${'b'.repeat(64)}
  worker:
    image: reprise
`;

test('images are found with their digests, and stages of a build are none', () => {
  expect(imagesIn(text)).toEqual([
    { text: 'node:24.21.0-slim', name: 'node', tag: '24.21.0-slim', digest: undefined },
    {
      text: expect.stringContaining('temporalio/server:1.32.0@'),
      name: 'temporalio/server',
      tag: '1.32.0',
      digest: `sha256:${'b'.repeat(64)}`,
    },
  ]);
});

test('each gets the digest of its tag, in place of one that it has', async () => {
  const written = await pinned(text, async () => digest);
  expect(written).toContain(`FROM node:24.21.0-slim@${digest} AS node\n`);
  expect(written).toContain(`image: temporalio/server:1.32.0@${digest}\n`);
  expect(written).toContain('image: reprise\n');
});

test('the registry is asked for the digest of all platforms, with a token for that image', async () => {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url} ${request.headers.authorization ?? ''}`);
    if (request.url?.startsWith('/token')) return response.end('{"token":"t"}');
    const isKnown = request.url?.endsWith('/1.0') && request.headers.accept?.includes('image.index');
    return response.writeHead(isKnown ? 200 : 404, isKnown ? { 'docker-content-digest': digest } : {}).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const registry = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const auth = `${registry}/token?service=s`;
  expect(await digestOf({ name: 'node', tag: '1.0' }, registry, auth)).toBe(digest);
  expect(asked).toEqual([
    'GET /token?service=s&scope=repository:library/node:pull ',
    'HEAD /v2/library/node/manifests/1.0 Bearer t',
  ]);
  await expect(digestOf({ name: 'node', tag: '2.0' }, registry, auth)).rejects.toThrow(
    'node:2.0: the registry answers 404',
  );
});
