import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { accessOf, issue } from '../../src/serve/access.ts';
import { createApp } from '../../src/serve/app.ts';

const owner = 'the-token-of-an-owner';
const url = 'http://127.0.0.1:8234';
const place = { owner, url, port: 8234, origins: [], home: '', configs: '' };
const starting = issue(owner, { kind: 'start', names: ['team'] });

test('runs are asked what waits once for all who look meanwhile, and each sees their own', async () => {
  let asked = 0;
  const own = `${accessOf(owner, starting)?.prefix}r1`;
  const inbox = async (onSilent: (id: string) => void) => {
    asked += 1;
    await pause(20);
    onSilent('r2');
    onSilent(own);
    return [{ workflowId: 'r3' }, { workflowId: own }];
  };
  const app = createApp({ ...place, reprise: { inbox }, feeds: undefined, say: () => {} } as never);
  const look = async (token: string): Promise<[ids: string[], silent: string | null]> => {
    const headers = { host: '127.0.0.1:8234', authorization: `Bearer ${token}` };
    const answer = await app.request(`${url}/api/v1/inbox`, { headers });
    const waiting = (await answer.json()) as Array<{ workflowId: string }>;
    return [waiting.map(({ workflowId }) => workflowId), answer.headers.get('reprise-silent')];
  };
  const seen = await Promise.all([...Array.from({ length: 200 }, () => look(owner)), look(starting)]);
  expect(asked).toBeLessThan(4);
  expect(seen[0]).toEqual([['r3', own], `r2, ${own}`]);
  expect(seen.at(-1)).toEqual([[own], own]);
});

test('all runs are summed up once for all who ask meanwhile', async () => {
  let asked = 0;
  const stats = async () => {
    asked += 1;
    await pause(20);
    return { unread: asked };
  };
  const app = createApp({ ...place, reprise: { stats }, feeds: undefined, say: () => {} } as never);
  const headers = { host: '127.0.0.1:8234', authorization: `Bearer ${owner}` };
  const ask = async (): Promise<unknown> => (await app.request(`${url}/api/v1/stats`, { headers })).json();
  const told = await Promise.all(Array.from({ length: 200 }, ask));
  expect(asked).toBeLessThan(4);
  expect(told.at(-1)).toEqual({ unread: asked });
});
