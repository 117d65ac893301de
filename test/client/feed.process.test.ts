import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { connect } from '../../src/client.ts';
import { Feeds, type FeedItem } from '../../src/client/feed.ts';
import { startModelServer } from '../support/model-server.ts';
import { runningMachine } from '../support/processes.ts';
import { teamOf, teamScript } from '../support/team-script.ts';

/** More than a heartbeat carries. */
const sentence = (index: number): string => `This is sentence number ${index} of the answer. `;
const text = Array.from({ length: 300 }, (_, index) => sentence(index)).join('');

/** What a reader is told of the text of the call that presents, from each of its beginnings on. */
async function presented(
  items: AsyncIterable<FeedItem>,
  onText: (so: string) => unknown = () => {},
): Promise<string[]> {
  const tries: string[] = [];
  for await (const item of items) {
    if (item.type !== 'text' || item.purpose !== 'present') continue;
    if (item.reset || tries.length === 0) tries.push('');
    const before = tries.pop() ?? '';
    if (item.offset !== before.length)
      throw new Error(`A piece at ${item.offset} comes after ${before.length} characters`);
    tries.push(before + item.text);
    await onText(before + item.text);
  }
  return tries;
}

test('a worker that is killed in the middle of a text: every character comes once, and again from the next try, on every server', async (context) => {
  const model = await startModelServer(teamScript({ present: () => ({ text, pace: 20 }) }));
  const machine = await runningMachine(context, model);
  await using reprise = await connect({ address: machine.address });
  const { home } = machine;
  const servers = [1, 2].map(() => new Feeds(reprise, { home }));
  context.onTestFinished(() => servers.forEach((feeds) => feeds.close()));
  const [one, other] = servers;
  const run = await reprise.startOrchestration({ task: 'Say it.', config: teamOf(['agent_a'], { type: 'openai' }) });
  let isKilled = false;
  let late: Promise<string[]> | undefined;
  const first = await presented(one!.follow(run.id, { text: true }), async (so) => {
    if (so.length < 6000) return;
    // Another server is asked when more has been written than a heartbeat carries.
    late ??= presented(other!.follow(run.id, { text: true }));
    if (isKilled) return;
    isKilled = true;
    await machine.killWorker();
    await machine.startWorker();
  });
  for (const [before, after] of [first, await late!]) {
    expect(text.startsWith(before!)).toBe(true);
    expect(after).toBe(text);
  }
  const rows = (): number => {
    const database = new DatabaseSync(join(home, 'store.sqlite'), { readOnly: true });
    const row = database.prepare('SELECT count(*) AS n FROM live_texts').get();
    database.close();
    return Number(row?.['n']);
  };
  expect(existsSync(join(home, 'store.sqlite'))).toBe(true);
  await expect.poll(rows).toBe(0);
});
