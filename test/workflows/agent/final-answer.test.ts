import { describe, expect, test } from 'vitest';
import { isFinalAnswer, isQuoted, withoutMarker } from '../../../src/workflows/agent/final-answer.ts';

describe('the marker of the final answer', () => {
  test.each([
    ['with its colon', 'FINAL_ANSWER: 42', '42'],
    ['in any letter case', 'final_answer: 42', '42'],
    ['in bold, colon inside', '**FINAL_ANSWER:** 42', '42'],
    ['in bold, colon outside', '**FINAL_ANSWER**: 42', '42'],
    ['in bold together with the answer', '**FINAL_ANSWER: 42**', '42'],
    ['as code', '`FINAL_ANSWER`: 42', '42'],
    ['before an answer in bold, which stays so', 'FINAL_ANSWER: **42** it is', '**42** it is'],
    ['in bold before an answer in bold', '**FINAL_ANSWER:** It is **42**.', 'It is **42**.'],
    ['without a colon', 'FINAL_ANSWER 42', '42'],
    ['in bold without a colon', '**FINAL_ANSWER** 42', '42'],
    ['on a line for itself', 'FINAL_ANSWER\n\n42', '42'],
    ['as a heading', '## FINAL_ANSWER\n\n42', '42'],
    ['as a heading in bold with a colon', '\n### **Final_Answer:**\n42', '42'],
    ['in front of nothing', 'FINAL_ANSWER:', ''],
  ])('is seen and taken off %s', (_, text, answer) => {
    expect(isFinalAnswer(text)).toBe(true);
    expect(withoutMarker(text)).toBe(answer);
  });

  test.each([
    ['with its colon', 'So it is. FINAL_ANSWER: 42'],
    ['in bold', 'So it is. **FINAL_ANSWER**: 42'],
    ['as a heading', 'So it is.\n\n## FINAL_ANSWER 42'],
    ['on a line for itself', 'So it is.\n\n**FINAL_ANSWER**\n42'],
  ])('is seen after other words %s; the text stays whole', (_, text) => {
    expect(isFinalAnswer(text)).toBe(true);
    expect(withoutMarker(text)).toBe(text);
  });

  test.each([
    ['where it is only spoken of', 'I cannot give a FINAL_ANSWER yet.'],
    ['within a line that goes on', 'Then\nI give FINAL_ANSWER next.'],
    ['as a part of another name', 'FINAL_ANSWERS: none'],
    ['in other words', 'The final answer is near.'],
  ])('is not seen %s', (_, text) => {
    expect(isFinalAnswer(text)).toBe(false);
  });

  test.each([
    ['its prompt', 'So: reply with FINAL_ANSWER: and the complete answer.', true],
    ['its prompt, and then an answer', 'I reply with FINAL_ANSWER: and the complete answer.\nFINAL_ANSWER: 42', false],
    ['an answer in a word of its prompt', 'FINAL_ANSWER: answer', false],
    ['its prompt with a label', 'ACTION: If you know enough, reply with FINAL_ANSWER: and the complete answer.', true],
    ['no answer', 'FINAL_ANSWER:', false],
  ])('is quoted where behind it stands %s', (_, text, quoted) => {
    expect(isQuoted(text, 'If you know enough, reply with FINAL_ANSWER: and the complete answer.')).toBe(quoted);
  });
});
