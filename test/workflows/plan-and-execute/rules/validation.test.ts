import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Validation } from '../../../../src/protocol/plan-and-execute.ts';
import { objectIn } from '../../../../src/workflows/agent/text.ts';
import { afterValidation, validationOf } from '../../../../src/workflows/plan-and-execute/rules/validation.ts';

const complete: Validation = { isComplete: true, missingRequirements: [], quality: 'high', warnings: [] };
const incomplete: Validation = { ...complete, isComplete: false, quality: 'low' };
const without = (...missingRequirements: string[]): Validation => ({ ...incomplete, missingRequirements });

describe('what follows a validation', () => {
  const none = { any: false, onRetry: false };
  const some = { any: true, onRetry: false };
  const deadEnds = { any: true, onRetry: true };
  const done = (outcome: string) => ({ kind: 'done', outcome });
  const retry = { kind: 'retry_failed' };
  const around = { kind: 'plan_around' };
  test.each<[string, Validation | null, failed: typeof none, object]>([
    ['complete', complete, none, done('complete')],
    ['complete, but something has failed', complete, some, done('partial')],
    ['complete, but something has failed again', complete, deadEnds, done('partial')],
    ['incomplete with failed ones', without('labels'), some, retry],
    ['incomplete with dead ends', without('labels'), deadEnds, around],
    ['incomplete, none failed', without('a', 'b'), none, { kind: 'add_subtasks', missing: ['a', 'b'] }],
    [
      'incomplete, nothing named but warnings',
      { ...incomplete, warnings: ['no unit'] },
      none,
      { kind: 'add_subtasks', missing: ['no unit'] },
    ],
    ['incomplete, nothing named at all', incomplete, none, { kind: 'add_subtasks', missing: ['Complete the answer'] }],
    ['none, with failed ones', null, some, retry],
    ['none, with dead ends', null, deadEnds, around],
    ['none, and none failed', null, none, done('unverified')],
  ])('%s', (_, validation, failed, step) => {
    expect(afterValidation(validation, failed)).toEqual(step);
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
    [
      'that contradicts itself: what is named as missing counts',
      '{"is_complete": true, "missing_requirements": ["axes"], "quality": "high"}',
      {
        ...without('axes'),
        quality: 'high',
        warnings: ['The validator called the answer complete, but named what is missing'],
      },
    ],
    [
      'that names nothing in words',
      '{"is_complete": true, "missing_requirements": ["None", "n/a", "Nothing."], "quality": "high", "warnings": "none"}',
      complete,
    ],
    ['without a verdict', '{"quality": "high"}', undefined],
    ['with a verdict of another kind', '{"isComplete": "maybe"}', undefined],
    ['in words only', 'The answer is complete.', undefined],
    ['empty', '', undefined],
    ['of damaged JSON', '{"isComplete": true', undefined],
  ])('%s', (_, text, validation) => {
    expect(validationOf(objectIn(text) ?? {})).toEqual(validation);
  });

  test('of any length is kept to a size', () => {
    const missing = Array.from({ length: 500 }, (_, index) => `${index} ${'长'.repeat(2000)}`);
    const read = validationOf({ is_complete: false, missing_requirements: missing });
    expect(read?.missingRequirements).toHaveLength(50);
    expect(Buffer.byteLength(JSON.stringify(read))).toBeLessThan(60_000);
  });

  test('whatever the values, one that is read has the form of one', () => {
    const keys = ['isComplete', 'is_complete', 'missingRequirements', 'quality', 'warnings'];
    const values = fc.oneof(fc.jsonValue(), fc.constantFrom('low', 'true', false));
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom(...keys), values), (object) => {
        const read = validationOf(object);
        if (read === undefined) return;
        expect(typeof read.isComplete).toBe('boolean');
        expect(['low', 'medium', 'high']).toContain(read.quality);
        expect(read.isComplete && read.missingRequirements.length > 0).toBe(false);
        for (const text of [...read.missingRequirements, ...read.warnings]) expect(text.trim()).not.toBe('');
      }),
    );
  });
});
