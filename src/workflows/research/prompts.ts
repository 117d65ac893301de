import type { Content, Text, ToolSpec } from '../../protocol/message.ts';
import type { RestartKind } from '../../protocol/research.ts';
import { joinContent } from '../agent/content.ts';
import { headings } from '../../protocol/headings.ts';

/** What each role is told. */
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

/** What a plan is drawn anew with, by the kind of restart (the document, sections Intelligent Restart Guidance and Usage Examples). */
const guidances: Record<RestartKind, string> = {
  prior_art: 'Focus on novel approaches, unique data sources',
  viability: 'Focus on risk mitigation, feasible approaches',
  no_score: 'Focus on what can be judged: a clear claim, and how it is examined',
  person: 'A person has asked for this plan to be drawn anew',
};

/** @param instructions what a person has asked for */
export function guidanceFor(kind: RestartKind, instructions: string | undefined): string {
  return instructions === undefined || instructions.trim() === '' ? guidances[kind] : instructions.trim();
}

/** The message that opens a planner's work. @param lessons what came of earlier research on ideas like this one */
export function ideaMessage(idea: Text, lessons: Text | undefined, most: number): Content {
  return joinContent([
    `${headings.idea}\n\n`,
    idea,
    ...earlier(lessons),
    `\n\n${headings.planningIteration} 1 of ${most}\n\nKeep the idea as it stands.`,
  ]);
}

export interface ReplanNotice {
  iteration: number;
  /** How many iterations there are at the most. */
  most: number;
  reason: Text;
  guidance: Text;
  /** What the critic said; undefined where it was not asked. */
  criticism: Text | undefined;
  /** What has been tried, one line each. */
  tried: string[];
}

/** What the planner is told when its plan was not good enough: all that is known of why. */
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

/** @param idea that was tried already */
export const unchangedIdea = (idea: string): string => `"${idea}" was tried already: the idea itself must change.`;

export interface Dossier {
  idea: Text;
  approach: Text;
  /** The hits of each query. */
  material: Text[];
  /** Searches that failed, in words. */
  gaps: string[];
  /** Titles of similar works. */
  similar: string[];
  lessons: Text | undefined;
}

/** What the critic judges. */
export function dossierMessage(dossier: Dossier): Content {
  const { similar } = dossier;
  return joinContent([
    ...dossierParts(dossier),
    ...(similar.length === 0 ? [] : [`\n\nSimilar work: ${similar.join('; ')}.`]),
    ...earlier(dossier.lessons),
    '\n\nEnd with the line `VIABILITY SCORE: n/100` if you cannot call `submit_criticism`.',
  ]);
}

export const askForScore =
  'Your criticism has no score. Call `submit_criticism` with a score for every aspect, or reply with the line ' +
  '`VIABILITY SCORE: n/100`.';

export interface ReportBrief extends Dossier {
  criticism: Text | undefined;
  /** `72/100 (Good concept)` */
  judgement: string;
  /** Set where this is the best of all iterations, and not good enough. */
  atLimit: boolean;
}

/** What the writer works from. */
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

/** A plan (`Plan` in protocol/research.ts). */
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

/** A criticism with a score for every aspect that counts. @param aspects their names */
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

/** A report (`Report` in protocol/research.ts, its sources left to the marks in its texts). */
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
        items: {
          type: 'object',
          properties: { heading: text, text },
          required: ['heading', 'text'],
        },
      },
    },
    required: ['title', 'summary', 'sections'],
  },
};
