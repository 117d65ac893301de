import type { ToolSpec } from '../../../protocol/message.ts';
import { evidenceIn, foundLine, type Evidence } from './evidence.ts';
import { kindOf, kinds } from './kinds.ts';
import { cited } from './material.ts';
import { scoreOf } from './scores.ts';

/** What stands before the names of what an idea lacks: planning reads it. */
const missingLabel = 'Missing:';

/** What is scored below this is named as missing. */
const enough = 51;

const mostQuotes = 3;
const mostAgainst = 1;

/** A criticism of the idea by the words that material and plan hold. */
export function criticismOf(dossier: string, tool: ToolSpec): { criticism: string; scores: object } {
  const evidence = evidenceIn(dossier);
  const scores = aspectsOf(tool).map((aspect) => [aspect, scoreOf(aspect, evidence)] as const);
  const { idea, material, similar } = evidence;
  const told = new Set<string>();
  const against = againstIt(evidence, mostAgainst, told);
  const lines = [
    foundLine(evidence),
    ...material.quotes(idea, mostQuotes, told).map(cited),
    ...against,
    ...(similar === 0 ? [] : [`Similar work that was found: ${similar}.`]),
    ...missingLine(scores),
    '(Offline model: judged by the words that the material and the plan hold, not by understanding them.)',
  ];
  return { criticism: material.withKnownMarks(lines.join('\n')), scores: Object.fromEntries(scores) };
}

/** Sentences on what may go wrong with the idea, with their marks. */
export function againstIt({ idea, material }: Evidence, most: number, told: Set<string>): string[] {
  return material.quotes(idea, most, told, kinds.risk).map(cited);
}

/** What a criticism names as missing; empty where it does not use these words. */
export function missingIn(criticism: string): string {
  return new RegExp(`^${missingLabel} (.+)\\.$`, 'm').exec(criticism)?.[1] ?? '';
}

function missingLine(scores: Array<readonly [string, number]>): string[] {
  const names = scores
    .filter(([aspect, score]) => score < enough && !/^(?:feasibility|novelty)$/i.test(aspect))
    .map(([aspect]) => kindOf(aspect)?.name ?? aspect.replaceAll(/[_-]+/g, ' '));
  return names.length === 0 ? [] : [`${missingLabel} ${names.join(', ')}.`];
}

function aspectsOf({ parameters }: ToolSpec): string[] {
  const { required } = parameters.properties['scores'] as { required?: string[] };
  return required ?? [];
}
