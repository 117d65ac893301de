import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Validation } from '../../../../src/protocol/plan-and-execute.ts';
import { afterValidation, readValidation } from '../../../../src/workflows/plan-and-execute/rules/validation.ts';

const complete: Validation = { isComplete: true, missingRequirements: [], quality: 'high', warnings: [] };
const incomplete: Validation = { ...complete, isComplete: false, quality: 'low' };
const without = (...missingRequirements: string[]): Validation => ({ ...incomplete, missingRequirements });

describe('what follows a validation', () => {
  const done = { kind: 'done' };
  const retry = { kind: 'retry_failed' };
  test.each<[string, Validation | null, hasFailed: boolean, object]>([
    ['complete', complete, false, done],
    ['complete: what failed stays failed', complete, true, done],
    ['incomplete with failed ones', without('labels'), true, retry],
    ['incomplete, none failed', without('a', 'b'), false, { kind: 'add_subtasks', missing: ['a', 'b'] }],
    [
      'incomplete, nothing named but warnings',
      { ...incomplete, warnings: ['no unit'] },
      false,
      { kind: 'add_subtasks', missing: ['no unit'] },
    ],
    ['incomplete, nothing named at all', incomplete, false, { kind: 'add_subtasks', missing: ['Complete the answer'] }],
    ['none, with failed ones', null, true, retry],
    ['none, and none failed', null, false, { ...done, unvalidated: true }],
  ])('%s', (_, validation, hasFailed, step) => {
    expect(afterValidation(validation, hasFailed)).toEqual(step);
  });
});

describe('a validation in free text', () => {
  test.each<[string, string, Validation | undefined]>([
    ['in a fence', `Well:\n\`\`\`json\n${JSON.stringify(complete)}\n\`\`\`\nDone.`, complete],
    ['among words', `I think ${JSON.stringify(without('labels'))}, so.`, without('labels')],
    [
      'in snake case, with one text for a list',
      '{"is_complete": false, "missing_requirements": " axes ", "quality": "low"}',
      without('axes'),
    ],
    [
      'with little more than its verdict',
      '{"isComplete": "true", "quality": "superb", "warnings": [1, " ", "x"]}',
      { ...complete, quality: 'medium', warnings: ['x'] },
    ],
    ['without a verdict', '{"quality": "high"}', undefined],
    ['with a verdict of another kind', '{"isComplete": "maybe"}', undefined],
    ['in words only', 'The answer is complete.', undefined],
    ['empty', '', undefined],
    ['of damaged JSON', '{"isComplete": true', undefined],
  ])('%s', (_, text, validation) => {
    expect(readValidation(text)).toEqual(validation);
  });

  test('whatever the values, one that is read has the form of one', () => {
    const keys = ['isComplete', 'is_complete', 'missingRequirements', 'quality', 'warnings'];
    const values = fc.oneof(fc.jsonValue(), fc.constantFrom('low', 'true', false));
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom(...keys), values), (object) => {
        const read = readValidation(JSON.stringify(object));
        if (read === undefined) return;
        expect(typeof read.isComplete).toBe('boolean');
        expect(['low', 'medium', 'high']).toContain(read.quality);
        for (const text of [...read.missingRequirements, ...read.warnings]) expect(text.trim()).not.toBe('');
      }),
    );
  });
});
