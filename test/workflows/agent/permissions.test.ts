import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decisionIn, type PermissionRule } from '../../../src/protocol/tools/permissions.ts';
import type { SideEffects, WorkspaceUse } from '../../../src/protocol/tools/tool.ts';
import { argumentsIn, shownArguments } from '../../../src/workflows/agent/arguments.ts';
import { fits } from '../../../src/workflows/agent/commands/patterns.ts';
import { verdictOn } from '../../../src/workflows/agent/permissions.ts';

const toolOf = (sideEffects: SideEffects, workspace?: WorkspaceUse, name = 'send', from = 'tools.mail') => ({
  name,
  source: { package: from },
  sideEffects,
  ...(workspace && { workspace }),
});

describe('where no rule is about a call', () => {
  test.for<[SideEffects, WorkspaceUse | undefined, string]>([
    ['none', undefined, 'allow'],
    ['undeclared', undefined, 'allow'],
    ['idempotent', undefined, 'ask'],
    ['once', undefined, 'ask'],
    ['once', 'writes', 'ask'],
    ['idempotent', 'writes', 'allow'],
    ['undeclared', 'reads', 'allow'],
  ])('side effects %s, workspace %s: %s', ([sideEffects, workspace, action]) => {
    const tool = toolOf(sideEffects, workspace);
    expect(verdictOn({ rules: [], attended: true }, tool, {})).toEqual({ action, why: 'default' });
    const alone = action === 'ask' ? 'deny' : action;
    expect(verdictOn({ rules: [], attended: false }, tool, {})).toEqual({ action: alone, why: 'default' });
  });

  test('what changes only the files of the run is allowed', () => {
    const tool = toolOf('idempotent', undefined, 'save_file', 'builtin.attachments');
    expect(verdictOn({ rules: [], attended: false }, tool, {}).action).toBe('allow');
  });
});

describe('rules', () => {
  const verdict = (rules: PermissionRule[], input: Record<string, unknown> = {}, name = 'send') =>
    verdictOn({ rules, attended: true }, toolOf('once', undefined, name), input).action;

  test('the first rule that fits decides', () => {
    const rules: PermissionRule[] = [
      { tool: 'send', arguments: { to: '*@example.com' }, action: 'allow' },
      { tool: 'send', action: 'deny' },
      { tool: '*', action: 'allow' },
    ];
    expect(verdict(rules, { to: 'a@example.com' })).toBe('allow');
    expect(verdict(rules, { to: 'a@example.org' })).toBe('deny');
    expect(verdict(rules, {})).toBe('deny');
    expect(verdict(rules, {}, 'book')).toBe('allow');
  });

  test("a rule for a tool's own name holds for it under the longer name by which it is offered too", () => {
    const tool = { ...toolOf('once', undefined, 'mail_send'), original: 'send' };
    const action = (name: string) =>
      verdictOn({ rules: [{ tool: name, action: 'deny' }], attended: true }, tool, {}).action;
    expect(['send', 'mail_*', 'sen*', 'mail'].map(action)).toEqual(['deny', 'deny', 'deny', 'ask']);
  });

  test('all arguments of a rule must fit; one that the call lacks, or only inherits, fits nothing', () => {
    const rule: PermissionRule = { tool: 'send', arguments: { to: 'a', copies: '2' }, action: 'deny' };
    expect(verdict([rule], { to: 'a', copies: 2 })).toBe('deny');
    expect(verdict([rule], { to: 'a', copies: 3 })).toBe('ask');
    expect(verdict([rule], { to: 'a' })).toBe('ask');
    expect(verdict([{ tool: '*', arguments: { toString: '*' }, action: 'deny' }])).toBe('ask');
  });

  test('arguments that are no texts are compared as JSON', () => {
    expect(verdict([{ tool: '*', arguments: { to: '["a",*' }, action: 'deny' }], { to: ['a', 'b'] })).toBe('deny');
    expect(verdict([{ tool: '*', arguments: { force: 'true' }, action: 'deny' }], { force: true })).toBe('deny');
  });

  test.for<[pattern: string, path: string, action: string]>([
    ['src/*', 'src/a/b', 'allow'],
    ['src/*', 'src/../.bashrc', 'ask'],
    ['src/*', 'src/a/..', 'ask'],
    ['../src/*', '../src/a', 'allow'],
    ['https://example.com/api/*', 'https://example.com/api/../admin', 'ask'],
    ['https://example.com/api/*', 'https://example.com/api/%2E./admin', 'ask'],
    ['src/*', 'src/..\\..\\a', 'ask'],
    ['*', '../a', 'allow'],
  ])('one that allows %s is not about what leads out of that folder: %s', ([path, given, action]) => {
    expect(verdict([{ tool: 'send', arguments: { path }, action: 'allow' }], { path: given })).toBe(action);
  });

  test('no rule below one for all tools has any effect', () => {
    const action = fc.constantFrom('allow' as const, 'ask' as const, 'deny' as const);
    const rules = fc.array(fc.record({ tool: fc.string(), action }));
    fc.assert(
      fc.property(rules, action, rules, (above, all, below) => {
        const upper = verdict([...above, { tool: '*', action: all }]);
        expect(verdict([...above, { tool: '*', action: all }, ...below])).toBe(upper);
      }),
    );
  });
});

describe('patterns', () => {
  /** The same by a regular expression, whose time is not bounded. */
  const byExpression = (pattern: string, text: string): boolean =>
    new RegExp(`^${pattern.replaceAll('.', '\\.').split('*').join('[^]*')}$`, 'u').test(text);

  test('are exact but for *, which stands for any characters', () => {
    const letters = fc.string({ unit: fc.constantFrom('a', 'b', '.', '\n'), maxLength: 12 });
    const patterns = fc.string({ unit: fc.constantFrom('a', 'b', '*', '.', '\n'), maxLength: 8 });
    fc.assert(
      fc.property(patterns, letters, (pattern, text) => {
        expect(fits(pattern, text)).toBe(byExpression(pattern, text));
      }),
      { numRuns: 2000 },
    );
  });

  test('a text fits itself, and what it is made of by leaving out parts', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ maxLength: 5 })), (parts) => {
        expect(fits(parts.join('*').replaceAll('**', '*'), parts.join('and'))).toBe(true);
      }),
    );
  });
});

test.for([
  ['yes', { action: 'allow' }],
  [' Y ', { action: 'allow' }],
  ['OK.', { action: 'allow' }],
  ['always', { action: 'allow', always: true }],
  ['no', { action: 'deny' }],
  ['No: not before Monday', { action: 'deny', reason: 'not before Monday' }],
  ['deny, too\nmany', { action: 'deny', reason: 'too\nmany' }],
  ['n', { action: 'deny' }],
  ['a', undefined],
  ['nobody', undefined],
  ['No objections.', undefined],
  ['no problem, go on', undefined],
  ['no, problems would follow', { action: 'deny', reason: 'problems would follow' }],
  ['yes, but later', undefined],
  ['Dark mode', undefined],
  ['', undefined],
] as const)('the words %j decide %j', ([words, decision]) => {
  expect(decisionIn(words)).toEqual(decision);
});

describe('the arguments that a person is shown', () => {
  const values = fc.dictionary(fc.string(), fc.oneof(fc.string({ unit: 'binary' }), fc.integer(), fc.boolean()));

  test('say what they are, and have no character that is invisible or steers a terminal', () => {
    fc.assert(
      fc.property(values, (input) => {
        const text = shownArguments(input);
        expect(argumentsIn(text)).toEqual(JSON.parse(JSON.stringify(input)));
        // Line breaks between the values are all that is left of them.
        expect(text.replaceAll('\n', '')).not.toMatch(/\p{Cc}|[\u200B-\u200F\u202A-\u202E\u2066-\u2069]/u);
      }),
    );
    expect(shownArguments({ to: '\u202Egro.elpmaxe\u{E0041}\u001B[2J' })).toBe(
      '{\n  "to": "\\u202egro.elpmaxe\\udb40\\udc41\\u001b[2J"\n}',
    );
    for (const hidden of '\u034F\u115F\u1160\u17B4\u17B5\u200B\u2800\u3164\uFFA0')
      expect(shownArguments({ to: `a${hidden}b` })).toContain(
        `a\\u${hidden.charCodeAt(0).toString(16).padStart(4, '0')}b`,
      );
    expect(shownArguments({ to: '❤\uFE0F' })).toContain('❤\uFE0F');
  });

  test('say how much of them is left out', () => {
    const text = shownArguments({ text: `${'a'.repeat(9000)}end` });
    expect(text.length).toBeLessThan(8000);
    expect(text).toMatch(/a\n\[… \d+ CHARACTERS ARE LEFT OUT HERE …\]\na+end"\n}$/);
    expect(argumentsIn(text)).toBeUndefined();
  });
});
