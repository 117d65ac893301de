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

/** The line above an answer, such as `<answer agent="agent2">`. */
export const answerOpening = (name: string): string => `<answer agent="${name}">`;

export const answerClosing = '</answer>';
