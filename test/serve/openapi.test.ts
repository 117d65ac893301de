import { Validator } from '@seriousme/openapi-schema-validator';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { createApp } from '../../src/serve/app.ts';
import { described } from '../../src/serve/rest/schemas.ts';
import type { Served } from '../../src/serve/served.ts';

const url = 'http://127.0.0.1:8234';
const owner = 'the-token-of-an-owner';
const served: Served = {
  reprise: undefined as never,
  ready: () => Promise.reject(new Error('no Temporal')),
  feeds: undefined as never,
  configs: '',
  home: '',
  owner,
  url,
  port: 8234,
  origins: [],
  typed: (text) => text,
  say: () => {},
};

test('the OpenAPI document is valid, and describes what is served', async () => {
  const headers = { host: '127.0.0.1:8234', authorization: `Bearer ${owner}` };
  const answer = await createApp(served).request(`${url}/api/v1/openapi.json`, { headers });
  const text = await answer.text();
  const { errors, valid } = await new Validator().validate(JSON.parse(text) as Record<string, unknown>);
  expect(errors).toBeUndefined();
  expect(valid).toBe(true);
  type Described = { operationId: string; responses: Record<string, { content?: Record<string, { schema: object }> }> };
  const { paths } = JSON.parse(text) as { paths: Record<string, Record<string, Described>> };
  expect(Object.keys(paths)).toContain('/runs/{id}/events');
  const names = Object.values(paths).flatMap((each) => Object.values(each).map(({ operationId }) => operationId));
  expect(new Set(names).size).toBe(names.length);
  const all = Object.values(paths).flatMap((each) => Object.values(each));
  const json = all.flatMap(({ operationId, responses }) =>
    Object.values(responses).flatMap(({ content }) => {
      const { schema } = content?.['application/json'] ?? {};
      return schema && Object.keys(schema).length === 0 ? [operationId] : [];
    }),
  );
  expect(json).toEqual([]);
  // No pattern that only JavaScript reads.
  expect(text).not.toContain(String.raw`\\p{`);
  // What only the project itself reads of its schemas.
  expect(text).not.toContain('privilege');
});

test('a description says of a type no more than is so', () => {
  interface Told {
    outcome: 'good' | 'bad';
    why?: string;
  }
  described<Told>()('Told', z.object({ outcome: z.enum(['good', 'bad']), why: z.string().optional() }));
  // @ts-expect-error it may be bad
  described<Told>()('Told1', z.object({ outcome: z.literal('good') }));
  // @ts-expect-error it may be absent
  described<Told>()('Told2', z.object({ why: z.string() }));
});
