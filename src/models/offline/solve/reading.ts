import type { AttachmentKind } from '../../../protocol/attachment.ts';
import { headings } from '../../../protocol/headings.ts';

/** An attachment as a prompt shows it. */
export interface Shown {
  name: string;
  kind: AttachmentKind;
  preview: string;
}

/** What a planner is told first. */
export interface ProblemBrief {
  problem: string;
  attachments: Shown[];
}

/** What the agent of a subtask is told. */
export interface SubtaskBrief extends ProblemBrief {
  description: string;
  /** Of the subtasks that it depends on. */
  results: string[];
}

/** What synthesis and validator are told. */
export interface AnswerBrief {
  problem: string;
  requirements: string[];
  results: string[];
  /** Failed subtasks, a line each. */
  failures: string[];
  /** What the validator is to check. */
  answer: string;
}

/** Headings with what always follows them, since files and results may have headings of the same name. */
const openings = {
  problem: `${headings.problem}\n\n`,
  attachments: `\n\n${headings.attachments}\n\n### `,
  requirements: `\n\n${headings.requirements}\n\n- `,
  results: `\n\n${headings.results}\n\n### `,
  failures: `\n\n${headings.failures}\n\n- `,
  subtask: `\n\n${headings.subtask} `,
  solution: `\n\n${headings.solution}\n\n`,
};

const attachmentLine = /^(?:### )?(.+) \((text|table|json|pdf|image), \d+ bytes\)$/;

/** What a message ends with: what is asked for, or why a subtask failed before. */
const closing = /\n\n(?:Say with `submit_analysis`|Give the answer\.|It failed before: )[\s\S]*$/;

/** Whether a message begins a role's work in solving a problem. */
export const opensProblem = (text: string): boolean => text.startsWith(openings.problem);

export const isSubtask = (text: string): boolean => opensProblem(text) && text.includes(openings.subtask);

export const isAnswerBrief = (text: string): boolean =>
  opensProblem(text) && text.includes(openings.requirements);

export function readProblem(message: string): ProblemBrief {
  const [told] = cut(message.slice(openings.problem.length).replace(closing, ''), openings.results);
  const [problem, attachments] = cut(told, openings.attachments);
  return { problem: problem.trim(), attachments: attachmentsIn(attachments) };
}

export function readSubtask(message: string): SubtaskBrief {
  const place = message.lastIndexOf(openings.subtask);
  const before = message.slice(0, place);
  // The id stands on the heading's line.
  const [, description] = cut(message.slice(place + openings.subtask.length), '\n\n');
  return {
    ...readProblem(before),
    description: description.replace(closing, '').trim(),
    results: resultsIn(cut(before, openings.results)[1]),
  };
}

export function readAnswerBrief(message: string): AnswerBrief {
  const [told, answer] = cut(message.slice(openings.problem.length), openings.solution);
  const [rest, failures] = cut(told.replace(closing, ''), openings.failures);
  const [asked, results] = cut(rest, openings.results);
  const [problem, requirements] = cut(asked, openings.requirements);
  return {
    problem: problem.trim(),
    requirements: itemsOf(cut(requirements, '\n\n')[0]),
    results: resultsIn(results),
    failures: itemsOf(failures),
    answer: answer.trim(),
  };
}

/** The requirements that a planner is to add subtasks for, and the ids that are taken; undefined in other messages. */
export function readMissing(message: string): { requirements: string[]; ids: string[] } | undefined {
  const opening = `${headings.missing}\n\n- `;
  if (!message.startsWith(opening)) return undefined;
  const [requirements] = cut(message.slice(opening.length), '\n\n');
  const ids = /depend on those there are: (.+)\.$/m.exec(message)?.[1] ?? '';
  return { requirements: itemsOf(requirements), ids: ids.split(', ') };
}

function cut(text: string, mark: string): [string, string] {
  const place = text.indexOf(mark);
  return place === -1 ? [text, ''] : [text.slice(0, place), text.slice(place + mark.length)];
}

const itemsOf = (list: string): string[] =>
  list
    .split('\n')
    .map((line) => line.replace(/^- /, '').trim())
    .filter((line) => line !== '');

/** Each result without its heading. */
const resultsIn = (section: string): string[] =>
  section === '' ? [] : section.split(/\n\n### (?=\S+: )/).map((each) => cut(each, '\n\n')[1].trim());

function attachmentsIn(section: string): Shown[] {
  const shown: Array<{ name: string; kind: AttachmentKind; lines: string[] }> = [];
  for (const line of section === '' ? [] : section.split('\n')) {
    const [, name, kind] = attachmentLine.exec(line) ?? [];
    if (name !== undefined && (shown.length === 0 || line.startsWith('### ')))
      shown.push({ name, kind: kind as AttachmentKind, lines: [] });
    else shown.at(-1)?.lines.push(line);
  }
  return shown.map(({ name, kind, lines }) => ({ name, kind, preview: lines.join('\n').trim() }));
}
