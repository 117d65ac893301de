import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';
import { openSqliteStore } from '../../src/store/sqlite.ts';
import { runTool, type Outcome } from '../../src/tools/run-tool.ts';
import { openToolRegistry } from '../../src/activities/tools/tool-registry.ts';

const examples = fileURLToPath(new URL('../../examples', import.meta.url));
const home = mkdtempSync(join(tmpdir(), 'reprise-tools-'));
const store = openSqliteStore(join(home, 'store.sqlite'));
const toolbox = openToolRegistry({ folder: examples, logs: home, environment: {}, store });
afterAll(async () => {
  await store.close();
  rmSync(home, { recursive: true, force: true });
});

async function call(packaged: string, name: string, args: object, idempotencyKey = 'k'): Promise<Outcome> {
  const tool = (await toolbox.tools({ package: packaged })).find(({ spec }) => spec.name === name);
  if (tool === undefined) throw new Error(`no ${name} in ${packaged}`);
  const { signal } = new AbortController();
  const context = { workflowId: 'w', agentId: 'a', idempotencyKey, signal };
  return runTool(tool, args as Record<string, unknown>, context, 5, new Promise<never>(() => {}));
}

describe('the examples of tools', () => {
  test('weather is sample data, says so, and names its cities to whoever asks for another', async () => {
    const paris = await call('tools.weather', 'get_weather', { city: 'Paris', unit: 'fahrenheit' });
    expect(JSON.parse(paris.text)).toEqual({
      city: 'Paris',
      sky: 'partly cloudy',
      temperature: 64,
      unit: 'fahrenheit',
      source: 'sample data',
    });
    expect(await call('tools.weather', 'get_weather', { city: 'Oz' })).toEqual({
      status: 'error',
      text: 'No weather for Oz; there is one for Berlin, Cairo, Lagos, Paris, Reykjavik, Tokyo',
    });
  });

  test('an event is added once a key, and not where another is', async () => {
    const event = { date: '2026-03-02', time: '10:00', title: 'Lunch' };
    for (const key of ['one', 'one']) {
      expect(await call('tools.calendar', 'add_event', event, key)).toMatchObject({ status: 'ok' });
    }
    expect(await call('tools.calendar', 'add_event', event, 'two')).toEqual({
      status: 'error',
      text: '2026-03-02 10:00 is taken: Lunch',
    });
    const { text } = await call('tools.calendar', 'list_events', { date: '2026-03-02' });
    expect((JSON.parse(text) as Array<{ title: string }>).map(({ title }) => title)).toEqual([
      'Stand-up',
      'Lunch',
      'Design review',
    ]);
  });
});
