import { expect, test } from 'vitest';
import { decisionPrompt } from '../../../../src/workflows/orchestration/prompts.ts';
import { readDecision } from '../../../../src/workflows/orchestration/rules/decision.ts';

const submit = (confirmed: unknown) => ({ id: 's', name: 'submit', input: { confirmed } });
const asked = { prompt: decisionPrompt(2, 3, undefined), isHeld: false };
const restartOf = (reason: string, instructions: string, rest: object = {}) => ({
  id: 'r',
  name: 'restart_orchestration',
  input: { reason, instructions, ...rest },
});
const restart = { id: 'r', name: 'restart_orchestration', input: { reason: 'only planned', instructions: 'do it' } };

test.each([
  ['submit {confirmed: true} submits', [submit(true)], { kind: 'submit' }],
  [
    'submit {confirmed: false} counts as submitting, with a warning',
    [submit(false)],
    { kind: 'submit', warning: 'submit was called with confirmed: false' },
  ],
  [
    'restart_orchestration carries reason and instructions',
    [restart],
    { kind: 'restart', reason: 'only planned', instructions: 'do it' },
  ],
  ['the first decision counts', [submit(true), restart], { kind: 'submit' }],
  [
    'a call that does not fit is passed over',
    [{ id: 'x', name: 'submit', error: 'confirmed: required' }, restart],
    { kind: 'restart', reason: 'only planned', instructions: 'do it' },
  ],
  ['no fitting call: no decision', [{ id: 'x', name: 'submit', error: 'confirmed: required' }], undefined],
  ['no call: no decision', [], undefined],
])('%s', (_, calls, decision) => {
  expect(readDecision(calls, asked)).toEqual(decision);
});

test.each([
  ['attempt 1', 'restart_orchestration'],
  ['This is attempt 1 of 3', 'This is attempt 1 of 3'],
  ['attempt 3', 'submit'],
  ['Critical steps are missing.', 'Restart (`restart_orchestration`)'],
  ['...', '1'],
  ['1.'.repeat(250), '1.'.repeat(250)],
  ['submit', 'Name more. '.repeat(45)],
])('a restart that says nothing but words of its prompt is no decision: %s, %s', (reason, instructions) => {
  expect(readDecision([restartOf(reason, instructions)], asked)).toBeUndefined();
  expect(readDecision([restartOf(reason, instructions), submit(true)], asked)).toEqual({ kind: 'submit' });
});

test.each([
  ['Thin.', 'More.'],
  ['critical steps are missing', 'Run the tests, and name what fails.'],
  ['The sum is wrong.', 'attempt 2'],
])('a restart that says a word of its own is one: %s, %s', (reason, instructions) => {
  expect(readDecision([restartOf(reason, instructions)], asked)).toMatchObject({ kind: 'restart', reason });
});

test.each([
  ['challenge', 'example'],
  ['submit', 'use '],
])('a restart in a word each is no decision of a model that a schema holds: %s, %s', (reason, instructions) => {
  expect(readDecision([restartOf(reason, instructions)], { ...asked, isHeld: true })).toBeUndefined();
  expect(readDecision([restartOf(reason, 'Say why.')], { ...asked, isHeld: true })).toMatchObject({ kind: 'restart' });
});

test.each([
  ['缺少结论', '请补充结论'],
  ['กลับไปตรวจใหม่', 'เขียนผลรวมให้ถูกต้อง'],
])('a language without spaces has more than one word: %s, %s', (reason, instructions) => {
  const decision = readDecision([restartOf(reason, instructions)], { ...asked, isHeld: true });
  expect(decision).toMatchObject({ kind: 'restart', reason });
});

test('a restart in one sentence again and again is no decision, however short a schema has kept it', () => {
  const begun = 'The task is incomplete. The approach is flawed. ';
  const looped = begun + 'The answer is inadequate. '.repeat(6);
  expect(readDecision([restartOf(looped, looped)], asked)).toBeUndefined();
  const numbered = [1, 2, 3, 4, 5, 6].map((step) => `Redo step ${step}.`).join(' ');
  expect(readDecision([restartOf(numbered, numbered)], asked)).toMatchObject({ kind: 'restart' });
  const said = begun + 'The answer is inadequate. '.repeat(2);
  expect(readDecision([restartOf(said, looped)], asked)).toMatchObject({ kind: 'restart' });
});

test('a restart that asks for what was planned needs no other reason', () => {
  const decision = readDecision([restartOf('submit', 'submit', { execute: true })], asked);
  expect(decision).toMatchObject({ kind: 'restart', execute: true });
});
