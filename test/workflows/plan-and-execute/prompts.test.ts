import { expect, test } from 'vitest';
import { promptSections } from '../../../src/models/offline/prompt-sections.ts';
import { headings } from '../../../src/protocol/headings.ts';
import type { Content } from '../../../src/protocol/message.ts';
import { problemMessage } from '../../../src/workflows/plan-and-execute/prompts.ts';

const textOf = (content: Content): string =>
  [content]
    .flat()
    .map((part) => (typeof part === 'string' ? part : ''))
    .join('');

test('what the planner is to do now is no part of the problem, also where this ends without a full stop', () => {
  const sections = promptSections(textOf(problemMessage('Count the letters', [])));
  expect(sections.get(headings.problem)).toBe('Count the letters');
  expect(sections.get(headings.now)).toContain('`submit_analysis`');
});
