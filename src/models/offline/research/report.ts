import type { Report } from '../../../protocol/research.ts';
import { headings } from '../../../protocol/headings.ts';
import { againstIt, missingIn } from './criticism.ts';
import { evidenceIn, foundLine, type Evidence } from './evidence.ts';
import { kinds } from './kinds.ts';
import { cited } from './material.ts';
import { oneLine, sectionsOf } from './sections.ts';

const mostFound = 5;
const mostAgainst = 4;
const mostTests = 3;

/** A report as it is submitted: its sources are left to its marks. */
export type Draft = Omit<Report, 'sources'>;

/** A report of the sentences that the material holds on the idea. */
export function reportOn(brief: string): Draft {
  const evidence = evidenceIn(brief);
  const { idea, material } = evidence;
  const criticism = sectionsOf(brief).get(headings.criticism) ?? '';
  const clean = (text: string): string => material.withKnownMarks(text);
  return {
    title: clean(`${idea.charAt(0).toUpperCase()}${idea.slice(1)}`).trim() || 'Research',
    summary: clean(summaryOf(evidence, criticism)),
    sections: sectionsFor(evidence, criticism).map(({ heading, lines }) => ({
      heading,
      text: clean(lines.join('\n')),
    })),
  };
}

function summaryOf(evidence: Evidence, criticism: string): string {
  const judgement = /^Viability: (.+)\.$/m.exec(criticism)?.[1];
  const judged = judgement === undefined ? 'was not judged' : `was judged ${judgement}`;
  return (
    `The idea "${evidence.idea}" ${judged}. ${foundLine(evidence)} ` +
    'The offline model has put sentences of the material together here; it draws no conclusions.'
  );
}

function sectionsFor(evidence: Evidence, criticism: string): Array<{ heading: string; lines: string[] }> {
  const { idea, material, plan } = evidence;
  const told = new Set<string>();
  const missing = missingIn(criticism);
  const against = [
    ...againstIt(evidence, mostAgainst, told),
    ...(missing === '' ? [] : [`The criticism names as missing: ${missing}.`]),
  ];
  // After those that speak against it, since these fit the idea as well.
  const found = material.quotes(idea, mostFound, told).map(cited);
  const tests = material.quotes(idea, mostTests, told, kinds.testability).map(cited);
  return [
    { heading: 'What was found', lines: found },
    { heading: 'What speaks against it', lines: against },
    { heading: 'How to examine it', lines: [...(plan === '' ? [] : [oneSentence(plan)]), ...tests] },
    { heading: 'What is not known', lines: unknown(evidence) },
  ].filter(({ lines }) => lines.length > 0);
}

const oneSentence = (text: string): string => `${oneLine(text)}.`;

function unknown({ found, material, missing }: Evidence): string[] {
  return [
    ...(found.length + missing.length === 0 ? ['Nothing was found that speaks of the idea.'] : []),
    ...(missing.length === 0 ? [] : [`Nothing was found on: ${missing.join(', ')}.`]),
    ...material.gaps.map((gap) => `Not searched: ${gap}`),
  ];
}
