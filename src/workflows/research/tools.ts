import type { ToolSpec } from '../../protocol/message.ts';

const text = { type: 'string', minLength: 1 };

/** A plan (`Plan` in messages/research.ts). */
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

/** A report (`Report` in messages/research.ts, its sources left to the marks in its texts). */
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
