import { expect, test } from 'vitest';
import type { PermissionRule } from '../../../src/protocol/tools/permissions.ts';
import type { ListedTool, SideEffects } from '../../../src/protocol/tools/tool.ts';
import { isAlwaysAllowed, quickTools } from '../../../src/workflows/agent/permissions.ts';

const toolOf = (name: string, sideEffects: SideEffects = 'none'): ListedTool => ({
  name,
  source: { package: 'kit' },
  sideEffects,
  timeout: 60,
});

test.for<[string, PermissionRule[], boolean]>([
  ['no rule', [], true],
  ['a rule about another tool', [{ tool: 'write*', action: 'deny' }], true],
  ['a rule that allows it', [{ tool: 'read', action: 'allow' }], true],
  ['one that denies it', [{ tool: 'read', action: 'deny' }], false],
  ['one that asks for it', [{ tool: '*', action: 'ask' }], false],
  ['one that denies some of its calls', [{ tool: 'read', arguments: { path: '/etc*' }, action: 'deny' }], false],
  [
    'one that allows it before one that denies all',
    [
      { tool: 'read', action: 'allow' },
      { tool: '*', action: 'deny' },
    ],
    false,
  ],
])('with %s every call of a tool is allowed, or that is left to the workflow', ([, rules, isAllowed]) => {
  expect(isAlwaysAllowed({ rules }, 'read')).toBe(isAllowed);
});

test('a model is told the list of quick tools, and which of them are kept back', () => {
  const tools = [toolOf('read'), toolOf('find'), toolOf('write', 'once')];
  expect(quickTools('list', tools, () => false)).toEqual({ list: 'list' });
  expect(quickTools('list', tools, (name) => name === 'find')).toEqual({ list: 'list', without: ['find'] });
  expect(quickTools('list', tools, () => true)).toBeUndefined();
  expect(quickTools(undefined, [], () => false)).toBeUndefined();
});
