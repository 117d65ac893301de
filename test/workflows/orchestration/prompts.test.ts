import { describe, expect, test } from 'vitest';
import { joinContent } from '../../../src/workflows/agent/content.ts';
import { systemMessage } from '../../../src/workflows/agent/prompts.ts';
import type { Content } from '../../../src/protocol/message.ts';
import {
  coordinationText,
  decisionPrompt,
  restartBlock,
  reviewMessage,
  taskMessage,
  votingMessage,
} from '../../../src/workflows/orchestration/prompts.ts';

const textOf = (content: Content) => joinContent([content])[0];

describe('prompts', () => {
  test('the restart block has the documented headings, labels and number, and both texts in full', () => {
    const [block] = joinContent([
      restartBlock({
        attempt: 2,
        by: 'final_agent',
        reason: 'Only plans.',
        instructions: 'Change\nthe files.',
      }),
    ]);
    expect(block).toMatch(
      /^## Previous Orchestration Attempts\n\nThis is attempt 2 to solve the task\. .*\n\n\*\*Why the restart was requested:\*\*\nOnly plans\.\n\n\*\*Instructions for improvement:\*\*\nChange\nthe files\.\n\n/,
    );
    expect(block).not.toContain('person');
  });

  test('a restart that a person requested says so', () => {
    const [block] = joinContent([restartBlock({ attempt: 3, by: 'person', reason: 'r', instructions: 'i' })]);
    expect(block).toContain('requested by a person');
  });

  test('the task comes first and as it was given', () => {
    expect(taskMessage('  What is 6 × 7? ', undefined)).toEqual(['## Task\n\n  What is 6 × 7? ']);
  });

  test('answers stand under anonymous names, the reader’s own marked, long ones by reference', () => {
    const content = votingMessage(
      [
        { name: 'agent1', content: { segment: 's1' }, yours: false },
        { name: 'agent2', content: 'Mine.', yours: true },
      ],
      true,
    );
    expect(content).toEqual([
      '## Answers\n\n<answer agent="agent1">\n',
      { segment: 's1' },
      expect.stringContaining('\n</answer>\n\n<answer agent="agent2" yours>\nMine.\n</answer>\n\n'),
    ]);
  });

  test('the review names each answer’s votes with their reasons, and the one selected', () => {
    const review = textOf(
      reviewMessage(
        'T',
        [{ name: 'agent1', content: 'A', yours: true }],
        [{ name: 'agent1', reasons: ['clear', 'complete '] }],
        'agent1',
      ),
    );
    expect(review).toContain('## Votes\n\n- agent1: 2 (clear; complete)\nSelected: agent1');
  });

  test('the judge is told the attempt, what is left of the budget, and the criteria', () => {
    const prompt = decisionPrompt(1, 3, '12 calls');
    expect(prompt).toContain('This is attempt 1 of 3. Budget left: 12 calls.');
    for (const criterion of ['critical steps are missing', 'fundamentally flawed', 'all requirements are met']) {
      expect(prompt).toContain(criterion);
    }
    expect(decisionPrompt(2, 3, undefined)).not.toContain('Budget');
  });

  test('a persona stands before the framework’s own words', () => {
    expect(systemMessage('You are terse.', coordinationText(undefined))).toEqual([
      expect.stringMatching(/^You are terse\.\n\nYou are one of/),
    ]);
  });
});
