import type { ToolSpec } from '../../protocol/message.ts';
import type { Tool } from '../tool.ts';

/** How long the tools of an agent's servers may be together, as JSON in characters, before they are looked for instead of offered. */
export const mostOffered = 16_000;
export const finder = 'find_tools';
export const caller = 'call_tool';

/** How many tools a search shows, how long all of them may be together, and how long the list of all names, in characters. */
const mostFound = 8;
const longestFound = 12_000;
const longestNames = 2000;

/** What is offered in place of tools that are too many. They stay the same in a conversation, whatever is found. */
export function findingTools(specs: ToolSpec[]): ToolSpec[] {
  const names = specs.map(({ name }) => name).join(', ');
  const some = names.length <= longestNames ? names : `${names.slice(0, longestNames)} …`;
  return [
    {
      name: finder,
      description: `Finds further tools by words for what they do, or by their names, and says how to call them. There are: ${some}`,
      parameters: {
        type: 'object',
        properties: { query: { type: 'string', minLength: 1, description: 'For example: create an issue' } },
        required: ['query'],
      },
    },
    {
      name: caller,
      description: `Calls a tool that ${finder} has shown.`,
      parameters: {
        type: 'object',
        properties: { name: { type: 'string' }, arguments: { type: 'object' } },
        required: ['name', 'arguments'],
      },
    },
  ];
}

export const findTool = (specs: ToolSpec[]): Tool => ({
  spec: { name: finder, description: '', parameters: { type: 'object', properties: {} } },
  sideEffects: 'none',
  timeout: 60,
  run: ({ query }) => Promise.resolve(found(specs, String(query))),
});

export function found(specs: ToolSpec[], query: string): string {
  const words = wordsOf(query);
  const fitting = specs
    .map((spec) => ({ spec, score: scoreOf(spec, words, query) }))
    .filter(({ score }) => score > 0)
    .toSorted((one, other) => other.score - one.score)
    .slice(0, mostFound);
  if (fitting.length === 0) return `No tool fits. There are: ${specs.map(({ name }) => name).join(', ')}`;
  let left = longestFound;
  const shown = fitting.flatMap(({ spec: { description, name, parameters } }, index) => {
    const text = `${name}: ${description}\narguments: ${JSON.stringify(parameters)}`;
    left -= text.length;
    return left < 0 && index > 0 ? [] : [text];
  });
  return [...shown, `Call one by ${caller} {"name": …, "arguments": {…}}.`].join('\n\n');
}

const wordsOf = (text: string): string[] => [
  ...new Set(
    text
      .replaceAll(/([a-z])([A-Z])/g, '$1 $2')
      .toLowerCase()
      .match(/[\p{L}\p{N}]{2,}/gu),
  ),
];

/** How well a tool fits: a word in its name counts more than one in what is said of it. `issues` fits `issue`, and the other way round. */
function scoreOf({ description, name, parameters }: ToolSpec, words: string[], query: string): number {
  const places = [wordsOf(name), wordsOf(description), Object.keys(parameters.properties).flatMap(wordsOf)];
  const weights = [3, 2, 1];
  const isAlike = (word: string) => (other: string) =>
    other === word || (Math.min(word.length, other.length) > 3 && (other.startsWith(word) || word.startsWith(other)));
  const score = words.reduce(
    (sum, word) =>
      sum + Math.max(0, ...places.map((place, at) => (place.some(isAlike(word)) ? (weights[at] ?? 0) : 0))),
    0,
  );
  return query.includes(name) ? score + 100 : score;
}
