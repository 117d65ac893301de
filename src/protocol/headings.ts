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
  attachments: '## Attachments',
  requirements: '## Requirements',
  subtask: '## Subtask',
  results: '## Results',
  failures: '## Failed subtasks',
  deadEnds: '## Dead ends',
  missing: '## Missing requirements',
  solution: '## Answer',
} as const;

/** What answers stand in, as in `<answer agent="agent2">`: a tag that none of them has, so that none ends early or begins another. */
export function answerTag(texts: readonly string[]): string {
  if (!texts.some((text) => /<\/?\s*answer\b/i.test(text))) return 'answer';
  let number = 2;
  while (texts.some((text) => text.toLowerCase().includes(`answer-${number}`))) number += 1;
  return `answer-${number}`;
}

export const answerOpening = (tag: string, name: string): string => `<${tag} agent="${name}">`;

export const answerClosing = (tag: string): string => `</${tag}>`;

/** The answers that a text shows. */
export const answersIn = (text: string): Array<{ name: string; content: string }> =>
  [...text.matchAll(/<(answer(?:-\d+)?) agent="([^"\n]+)">\n([^]*?)\n<\/\1>/g)].map(
    ([, , name = '', content = '']) => ({
      name,
      content,
    }),
  );
