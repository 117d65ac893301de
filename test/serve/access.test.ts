import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { accessOf, holderOf, issue, mayStart, reaches, type Grant } from '../../src/serve/access.ts';
import { namedConfig } from '../../src/serve/configs.ts';

const owner = 'a-token-of-an-owner';

test("the owner's token opens everything", () => {
  expect(accessOf(owner, owner)).toEqual({ grant: { kind: 'all' }, prefix: '' });
});

test.each([
  ['nothing', ''],
  ['another', 'a-token-of-another'],
  ['one that another owner has made', issue('another-owner', { kind: 'all' })],
  ['one that was changed', issue(owner, { kind: 'read' }).replace(/^rpr\.(.)/, 'rpr.X')],
  ['a form', 'rpr..'],
])('a token that is none opens nothing: %s', (_, token) => {
  expect(accessOf(owner, token)).toBeUndefined();
});

test('a token has an end where it was given one', () => {
  const token = issue(owner, { kind: 'read' }, 1000);
  expect(accessOf(owner, token, 999)?.grant).toEqual({ kind: 'read' });
  expect(accessOf(owner, token, 1000)).toBeUndefined();
});

test('a token for some configurations starts these alone, and sees the runs that were started with it alone', () => {
  const access = accessOf(owner, issue(owner, { kind: 'start', names: ['team', 'other'] }));
  if (access === undefined) throw new Error('no access');
  expect(['team', 'other', 'third', undefined].map((name) => mayStart(access, name))).toEqual([
    true,
    true,
    false,
    false,
  ]);
  expect(reaches(access, `${access.prefix}ask-1`)).toBe(true);
  expect(reaches(access, 'ask-1')).toBe(false);
});

test('who gets more tokens, as by each login, is the same holder by all of them', () => {
  const grants: Grant[] = [{ kind: 'all' }, { kind: 'read' }, ...['a', 'b'].map((name) => startOf(name))];
  const holdersOf = (until: number) =>
    grants.map((grant) => holderOf(accessOf(owner, issue(owner, grant, until), 0) ?? { grant, prefix: 'none' }));
  expect(new Set(holdersOf(0)).size).toBe(4);
  expect(holdersOf(1000)).toEqual(holdersOf(0));
});

const startOf = (name: string): Grant => ({ kind: 'start', names: [name] });

test('what is wrong with a configuration is told without the folder in which it is', () => {
  const folder = mkdtempSync(join(tmpdir(), 'reprise-configs-'));
  writeFileSync(join(folder, 'broken.yaml'), 'agents: [\n');
  const read = () => namedConfig(folder, 'broken', { grant: startOf('broken'), prefix: 't1-' });
  expect(read).toThrow(/^broken\.yaml:2: /);
  rmSync(folder, { recursive: true });
});
