import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { readConfigFile } from '../../src/config/read-config.ts';
import type { Access } from '../../src/serve/access.ts';
import { namedConfigs } from '../../src/serve/configs.ts';

const folder = mkdtempSync(join(tmpdir(), 'reprise-configs-'));
afterAll(() => rmSync(folder, { recursive: true }));

const write = (name: string, text: string): void => writeFileSync(join(folder, name), text);
const long = JSON.stringify({ agents: [{ id: 'a', system_message: 'x'.repeat(1_500_000) }] });

test('a folder’s configurations are told from the data beside them, of which none is read that is longer than any configuration', () => {
  write('team.yaml', 'agents: [{ id: a, backend: { type: offline } }]\n');
  write('plan.json', '{"plan": {}}');
  write('package.json', '{"name": "mine", "version": "1.0.0"}');
  write('data.json', '[{"agents": []}]');
  write('broken.json', '{"agents": [');
  write('long.json', long);
  const access = { grant: { kind: 'all' } } as Access;
  expect(namedConfigs(folder, access)).toEqual([
    { name: 'reprise', kind: 'team' },
    { name: 'plan', kind: 'plan' },
    { name: 'team', kind: 'team' },
  ]);
  expect(readConfigFile(join(folder, 'long.json'))).toEqual({
    ok: false,
    problems: [expect.stringMatching(/long\.json: has 1,500,\d+ bytes, and a configuration at most 1,500,000$/)],
  });
});
