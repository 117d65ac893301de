/** The headings of the parts of prompts. The offline model and tests find the parts by them. */
export const headings = {
  task: '## Task',
  answers: '## Answers',
  votes: '## Votes',
  decision: '## Decision',
  finalAnswer: '## Final answer',
  question: '## Question from',
  howToRespond: '## How to respond',
  previousAttempts: '## Previous Orchestration Attempts',
  whyRestart: '**Why the restart was requested:**',
  instructions: '**Instructions for improvement:**',
  earlierRestarts: '**Earlier restarts:**',
  best: '**Best answer so far:**',
  work: '## Work',
  files: '## Files',
  idea: '## Idea',
  goal: '## What the user asked for',
  plan: '## Plan',
  material: '## Material',
  earlierResearch: '## Earlier research',
  planningIteration: '## Planning iteration',
  criticism: '## Criticism',
  guidance: '## Guidance',
  tried: '## Tried so far',
  problem: '## Problem',
  now: '## Now',
  attachments: '## Attachments',
  requirements: '## Requirements',
  subtask: '## Subtask',
  results: '## Results',
  failures: '## Failed subtasks',
  deadEnds: '## Dead ends',
  missing: '## Missing requirements',
  solution: '## Answer',
} as const;

/**
 * The tag that answers, or results, stand in, as in `<answer agent="agent2">`: one that none of them has, so that none ends early
 * or begins another.
 */
export function tagFor(kind: 'answer' | 'result', texts: readonly string[]): string {
  if (!texts.some((text) => new RegExp(`</?\\s*${kind}\\b`, 'i').test(text))) return kind;
  // All at once: a text may name any number of tags.
  const named = new RegExp(`${kind}-(\\d+)`, 'gi');
  const taken = new Set(texts.flatMap((text) => Array.from(text.matchAll(named), ([, number]) => Number(number))));
  let number = 2;
  while (taken.has(number)) number += 1;
  return `${kind}-${number}`;
}

/** An answer or a result between its tags: the line before it, its tag, its name if there is one, the text, and the line behind it. */
export const tagged = /(<((?:answer|result)(?:-\d+)?)(?: agent="([^"\n]+)")?>\n)([^]*?)(\n<\/\2>)/g;

/** The answers and results that a text shows; the name is empty where its tag has none. */
export const taggedIn = (text: string): Array<{ name: string; content: string }> =>
  Array.from(text.matchAll(tagged), ([, , , name = '', content = '']) => ({ name, content }));
