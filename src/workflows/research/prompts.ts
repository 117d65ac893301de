import type { Content, Text, ToolSpec } from '../../protocol/message.ts';
import type { RestartKind } from '../../protocol/research.ts';
import { joinContent } from '../agent/content.ts';
import { headings } from '../../protocol/headings.ts';

/** The system message of each role. */
export const roleInstructions = {
  planner:
    'You plan research. Say the idea in one sentence, how it is to be carried out and examined, and what to search ' +
    'for: up to five queries of a few words. Give the plan with `submit_plan`.',
  critic:
    'You criticise research plans. Judge the idea by its plan and by the material that was found: say what is wrong, ' +
    'what is missing and what would help. Score every aspect from 0 (fatal) to 100 (excellent; for risk: hardly any). ' +
    'Give the criticism with `submit_criticism`.',
  writer:
    'You write research reports. Use the material and cite it by its marks, as [1.2]; claim nothing that it does not ' +
    'hold. Say what speaks against the idea too. Give the report with `submit_report`.',
} as const;

/**
 * The guidance for a new plan, by the kind of restart (the document "Conditional Restart Logic", sections Intelligent
 * Restart Guidance and Usage Examples).
 */
const guidances: Record<RestartKind, string> = {
  prior_art: 'Focus on novel approaches, unique data sources',
  viability: 'Focus on risk mitigation, feasible approaches',
  no_score: 'Focus on what can be judged: a clear claim, and how it is examined',
  person: 'A person has asked for this plan to be drawn anew',
};

/** @param instructions what a person has asked for, which takes the place of the guidance unless it is blank */
export const guidanceFor = (kind: RestartKind, instructions = ''): string => instructions.trim() || guidances[kind];

/**
 * The planner's first message.
 *
 * @param lessons what came of earlier research on similar ideas
 * @param most the largest number of planning iterations
 */
export function ideaMessage(idea: Text, lessons: Text | undefined, most: number): Content {
  return joinContent([
    `${headings.idea}\n\n`,
    idea,
    ...earlier(lessons),
    `\n\n${headings.planningIteration} 1 of ${most}\n\nKeep the idea as it stands.`,
  ]);
}

interface ReplanNotice {
  /** The number of the iteration that begins. */
  iteration: number;
  /** The largest number of planning iterations. */
  most: number;
  reason: Text;
  guidance: Text;
  /** What the critic said; undefined if it was not asked. */
  criticism: Text | undefined;
  /** The ideas tried so far with their scores, a line each. */
  tried: string[];
}

/** Tells the planner why its plan was not good enough, and asks for another idea. */
export function replanMessage(notice: ReplanNotice): Content {
  const { criticism, guidance, iteration, most, reason, tried } = notice;
  return joinContent([
    `${headings.planningIteration} ${iteration} of ${most}\n\nThe plan is to be drawn anew. Why: `,
    reason,
    ...(criticism === undefined ? [] : [`\n\n${headings.criticism}\n\n`, criticism]),
    `\n\n${headings.guidance}\n\n`,
    guidance,
    `\n\n${headings.tried}\n\n${tried.map((line) => `- ${line}`).join('\n')}`,
    '\n\nChange the idea itself: none of those tried, but one that builds on what was learnt.',
  ]);
}

/** The error for a plan that repeats an idea. */
export const unchangedIdea = (idea: string): string => `"${idea}" was tried already: the idea itself must change.`;

/** A plan and what was found for it. */
export interface Dossier {
  idea: Text;
  approach: Text;
  /** The hits of each query. */
  material: Text[];
  /** The searches that failed, in words. */
  gaps: string[];
  /** The titles of similar works. */
  similar: string[];
}

/** The critic's first message. @param lessons what came of earlier research on similar ideas */
export function dossierMessage(dossier: Dossier, lessons?: Text): Content {
  const { similar } = dossier;
  return joinContent([
    ...dossierParts(dossier),
    ...(similar.length === 0 ? [] : [`\n\nSimilar work: ${similar.join('; ')}.`]),
    ...earlier(lessons),
    '\n\nEnd with the line `VIABILITY SCORE: n/100` if you cannot call `submit_criticism`.',
  ]);
}

export const askForScore =
  'Your criticism has no score. Call `submit_criticism` with a score for every aspect, or reply with the line ' +
  '`VIABILITY SCORE: n/100`.';

interface ReportBrief extends Dossier {
  criticism: Text | undefined;
  /** The score and verdict, as in `72/100 (Good concept)`. */
  judgement: string;
  /** Whether this is the best of all iterations, and still not good enough. */
  atLimit: boolean;
}

/** The writer's message. */
export function reportMessage({ criticism, judgement, atLimit, ...dossier }: ReportBrief): Content {
  return joinContent([
    ...dossierParts(dossier),
    `\n\n${headings.criticism}\n\nViability: ${judgement}.`,
    ...(criticism === undefined ? [] : ['\n\n', criticism]),
    ...(atLimit ? ['\n\nNo plan was good enough, and this was the best: say plainly what stands against it.'] : []),
  ]);
}

function dossierParts({ approach, gaps, idea, material }: Dossier): Content[] {
  return [
    `${headings.idea}\n\n`,
    idea,
    `\n\n${headings.plan}\n\n`,
    approach,
    `\n\n${headings.material}`,
    ...material.flatMap((text): Content[] => ['\n\n', text]),
    ...gaps.map((gap) => `\n\nNot searched: ${gap}`),
  ];
}

const earlier = (lessons: Text | undefined): Content[] =>
  lessons === undefined ? [] : [`\n\n${headings.earlierResearch}\n\n`, lessons];

const text = { type: 'string', minLength: 1 };

/** Takes a `Plan` (protocol/research.ts). */
export const planTool: ToolSpec = {
  name: 'submit_plan',
  description: 'Give the plan.',
  parameters: {
    type: 'object',
    properties: {
      idea: { ...text, maxLength: 500, description: 'The idea in one sentence.' },
      approach: { ...text, description: 'How it is carried out and examined.' },
      queries: { type: 'array', items: text, minItems: 1, maxItems: 5, description: 'What to search for.' },
    },
    required: ['idea', 'approach', 'queries'],
  },
};

/** Takes a criticism and a score for each aspect. @param aspects the names of the aspects that count */
export function criticismTool(aspects: string[]): ToolSpec {
  const score = { type: 'number', minimum: 0, maximum: 100 };
  return {
    name: 'submit_criticism',
    description: 'Give the criticism and the scores.',
    parameters: {
      type: 'object',
      properties: {
        criticism: text,
        scores: {
          type: 'object',
          properties: Object.fromEntries(aspects.map((aspect) => [aspect, score])),
          required: aspects,
        },
      },
      required: ['criticism', 'scores'],
    },
  };
}

/** Takes a `Report` (protocol/research.ts) without its sources, which follow from the marks in its texts. */
export const reportTool: ToolSpec = {
  name: 'submit_report',
  description: 'Give the report.',
  parameters: {
    type: 'object',
    properties: {
      title: text,
      summary: text,
      sections: {
        type: 'array',
        minItems: 1,
        items: { type: 'object', properties: { heading: text, text }, required: ['heading', 'text'] },
      },
    },
    required: ['title', 'summary', 'sections'],
  },
};
