import type { PlannedSubtask, QueryAnalysis } from '../../../protocol/plan-and-execute.ts';
import { jsonBytes } from '../../runtime/size.ts';
import { withoutRepetition } from '../../agent/repetition.ts';
import { objectIn } from '../../agent/text.ts';

interface PlanLimits {
  /** Of the subtasks of earlier plans. */
  ids: string[];
  /** Those of them on which this one may depend. */
  usable: string[];
  /** Those whose place it may take. */
  replaceable: string[];
  attachments: string[];
  /** The largest number of subtasks that all plans of a run may have together. */
  most: number;
  /** How many bytes this plan may have as JSON. */
  bytes: number;
}

const goodId = /^[A-Za-z0-9_-]{1,64}$/;

const longestName = 80;

/**
 * All that is wrong with a plan, in words for its model. One that may replace failed subtasks may be empty: there may be no
 * way.
 */
export function planProblems(subtasks: PlannedSubtask[], known: PlanLimits): string[] {
  if (subtasks.length === 0)
    return known.replaceable.length > 0 ? [] : ['the plan has no subtasks; it needs at least one'];
  return [
    ...sizeProblems(subtasks, known),
    ...idProblems(subtasks, known.ids),
    ...subtasks
      .filter(({ description }) => description.trim() === '')
      .map(({ id }) => `${named(id)} has no description`),
    ...dependencyProblems(subtasks, known),
    ...replacementProblems(subtasks, known.replaceable),
    ...attachmentProblems(subtasks, known.attachments),
  ];
}

export function readySubtasks<T extends { dependsOn: string[] }>(subtasks: T[], completed: ReadonlySet<string>): T[] {
  return subtasks.filter(({ dependsOn }) => dependsOn.every((id) => completed.has(id)));
}

function sizeProblems(subtasks: PlannedSubtask[], { bytes, ids, most }: PlanLimits): string[] {
  const count = subtasks.length;
  const left = Math.max(0, most - ids.length);
  const size = jsonBytes(subtasks);
  if (count <= left)
    return size <= bytes ? [] : [`the plan has ${size} bytes, but only ${bytes} may be added; be brief`];
  const before = ids.length === 0 ? '' : `, of which earlier plans have ${ids.length}`;
  return [`the plan has ${count} subtasks, but only ${left} may be added: there may be ${most} in all${before}`];
}

function idProblems(subtasks: PlannedSubtask[], earlier: string[]): string[] {
  const all = subtasks.map(({ id }) => id);
  return distinct(all).flatMap((id) => [
    ...(goodId.test(id) ? [] : [`the id ${named(id)} is not 1 to 64 letters, digits, _ or -`]),
    ...(all.indexOf(id) === all.lastIndexOf(id) ? [] : [`the id ${named(id)} is given more than once`]),
    ...(earlier.includes(id) ? [`the id ${named(id)} is that of an earlier subtask; give a new one`] : []),
  ]);
}

function dependencyProblems(subtasks: PlannedSubtask[], { ids, usable }: PlanLimits): string[] {
  const valid = distinct([...usable, ...subtasks.map(({ id }) => id)]);
  const isFailed = (id: string): boolean => ids.includes(id) && !valid.includes(id);
  const unknown = unknownIn(subtasks, ({ dependsOn }) => dependsOn.filter((id) => !isFailed(id)), valid);
  const failed = unknownIn(subtasks, ({ dependsOn }) => dependsOn.filter(isFailed), []);
  return [
    ...(failed === '' ? [] : [`dependencies that have failed: ${failed}; nothing can depend on them`]),
    // The valid ids are named once for all mistakes, since a large plan may have many of both.
    ...(unknown === '' ? [] : [`unknown dependencies: ${unknown}; the ids are: ${list(valid)}`]),
    ...subtasks.filter(({ id, dependsOn }) => dependsOn.includes(id)).map(({ id }) => `${named(id)} depends on itself`),
    ...cyclesIn(subtasks).map((cycle) => `a cycle, where each depends on the next: ${cycle.map(named).join(' → ')}`),
  ];
}

/** Where nothing can be replaced, what a plan says of it has no meaning, and does no harm. */
function replacementProblems(subtasks: PlannedSubtask[], valid: string[]): string[] {
  if (valid.length === 0) return [];
  const unknown = unknownIn(subtasks, ({ replaces }) => replaces ?? [], valid);
  return unknown === '' ? [] : [`only failed subtasks can be replaced, not: ${unknown}; these are: ${list(valid)}`];
}

function attachmentProblems(subtasks: PlannedSubtask[], valid: string[]): string[] {
  const unknown = unknownIn(subtasks, ({ attachments }) => attachments ?? [], valid);
  return unknown === '' ? [] : [`unknown attachments: ${unknown}; there are: ${list(valid)}`];
}

/**
 * Finds cycles of dependencies, each from its first subtask in the plan's order back to that subtask. Of cycles that
 * share subtasks it finds one, which is enough, since the plan is checked again after its repair.
 */
function cyclesIn(subtasks: PlannedSubtask[]): string[][] {
  const next = nextInWay(subtasks);
  const seen = new Set<string>();
  const cycles: string[][] = [];
  for (const start of next.keys()) {
    const way: string[] = [];
    let id: string | undefined = start;
    while (id !== undefined && !seen.has(id)) {
      seen.add(id);
      way.push(id);
      id = next.get(id);
    }
    if (id === undefined || !way.includes(id)) continue;
    const cycle = way.slice(way.indexOf(id));
    const first = [...next.keys()].find((each) => cycle.includes(each)) ?? id;
    const from = cycle.indexOf(first);
    cycles.push([...cycle.slice(from), ...cycle.slice(0, from), first]);
  }
  return cycles;
}

/** For each subtask that can never be ready because of a cycle: one of its dependencies that can never be ready either. */
function nextInWay(subtasks: PlannedSubtask[]): Map<string, string> {
  const ids = new Set(subtasks.map(({ id }) => id));
  let left = subtasks.map(({ id, dependsOn }) => ({
    id,
    dependsOn: dependsOn.filter((each) => each !== id && ids.has(each)),
  }));
  const done = new Set<string>();
  for (let ready = readySubtasks(left, done); ready.length > 0; ready = readySubtasks(left, done)) {
    for (const { id } of ready) done.add(id);
    left = left.filter((each) => !ready.includes(each));
  }
  return new Map(
    left.flatMap(({ id, dependsOn }) => {
      const blocked = dependsOn.find((each) => !done.has(each));
      return blocked === undefined ? [] : [[id, blocked] as const];
    }),
  );
}

/** The names that are not valid, each with the subtask that uses it; empty if all are. */
function unknownIn(subtasks: PlannedSubtask[], namesOf: (one: PlannedSubtask) => string[], valid: string[]): string {
  return subtasks
    .flatMap((subtask) =>
      namesOf(subtask)
        .filter((name) => !valid.includes(name))
        .map((name) => `${named(name)} (of ${named(subtask.id)})`),
    )
    .join(', ');
}

const distinct = (ids: string[]): string[] => [...new Set(ids)];

const list = (names: string[]): string => names.map(named).join(', ') || 'none';

/** Cut, and quoted if it has other characters than ids and file names usually have. */
function named(name: string): string {
  const short = name.slice(0, longestName);
  return /^[\w.-]+$/.test(short) ? short : JSON.stringify(short);
}

const strings = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((each): each is string => typeof each === 'string') : [];

/**
 * Reads an analysis from arguments that fit the tool's schema. Of what goes round in circles, or is said again, nothing is kept:
 * a small model writes that to the schema's bounds, and all later prompts would have it.
 *
 * @returns undefined if nothing is left
 */
export function analysisOf(input: Record<string, unknown>): QueryAnalysis | undefined {
  const isSaid = (text: string): boolean => withoutRepetition(text) === undefined;
  const requirements = [...new Set(strings(input['requirements']).filter(isSaid))];
  if (requirements.length === 0) return undefined;
  const format = input['answer_format'];
  return { requirements, answerFormat: typeof format === 'string' && isSaid(format) ? format : 'a text' };
}

/** From free text, which holds it as JSON or as a list. @returns undefined if it holds neither */
export const analysisIn = (text: string): QueryAnalysis | undefined =>
  analysisOf(objectIn(text) ?? { requirements: itemsIn(text) });

export function subtasksOf(input: Record<string, unknown>): PlannedSubtask[] {
  return (input['subtasks'] as Array<Record<string, unknown>>).map((each) => ({
    id: String(each['id']).trim(),
    description: String(each['description']).trim(),
    dependsOn: [...new Set(strings(each['depends_on']))],
    ...(Array.isArray(each['attachments']) && { attachments: strings(each['attachments']) }),
    ...(Array.isArray(each['replaces']) && { replaces: [...new Set(strings(each['replaces']))] }),
  }));
}

/**
 * From free text, which holds them as JSON or as a list, of which each step depends on the one before.
 *
 * @param taken ids that are in use
 * @returns undefined if the text holds neither
 */
export function subtasksIn(text: string, taken: string[]): PlannedSubtask[] | undefined {
  const listed: unknown = objectIn(text)?.['subtasks'];
  const isPlan = (each: unknown): each is Record<string, unknown> =>
    typeof each === 'object' && each !== null && 'id' in each && 'description' in each;
  if (Array.isArray(listed) && listed.every(isPlan)) return subtasksOf({ subtasks: listed });
  const items = itemsIn(text);
  if (items.length === 0) return undefined;
  const first = taken.length + 1;
  return items.map((description, index) => ({
    id: `step_${first + index}`,
    description,
    dependsOn: index === 0 ? [] : [`step_${first + index - 1}`],
  }));
}

/** The items of a list, numbered or with bullets. */
const itemsIn = (text: string): string[] =>
  text.split('\n').flatMap((line) => {
    const item = /^\s{0,3}(?:\d{1,3}[.)]|[-*•])\s+(\S.*)$/.exec(line)?.[1];
    return item === undefined ? [] : [item.replace(/\*\*|__|`/g, '').trim()];
  });
