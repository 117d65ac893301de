import { headings, taggedIn } from '../../protocol/headings.ts';
import type { Message, ToolSpec } from '../../protocol/message.ts';
import { SentenceIndex } from '../../util/text/sentence-search.ts';
import { remark, type Action } from './coordination.ts';
import { nextCall, phaseOf, recordsIn, returnedOn } from './loops.ts';
import { promptSections, toolResultsIn, type ToolResult } from './prompt-sections.ts';
import { nothingOn, partsOf, quotesOn, saysNothing, type TextIndex } from './retrieval.ts';
import { linesOn } from './topics.ts';

const computesNothing = 'The offline model quotes; it does not compute.';

const form = 'sentences and rows as they stand in the texts';

const limits = { parts: 20, rows: 5 };

/** Undefined if the messages do not belong to a plan. */
export function solveAction(messages: Message[], tools: ToolSpec[], texts: TextIndex): Action | string | undefined {
  const place = messages.findLastIndex(({ content }) => content.startsWith(headings.problem));
  if (place === -1) return undefined;
  const brief = promptSections(messages[place]?.content ?? '');
  if (brief.has(headings.subtask)) return workOn(brief, messages.slice(place), tools, texts);
  const parts = partsOf(brief.get(headings.problem) ?? '').slice(0, limits.parts);
  const last = messages.at(-1)?.content ?? '';
  for (const { name: tool } of tools) {
    if (tool === 'submit_analysis') return { tool, input: { requirements: parts, answer_format: form } };
    if (tool === 'submit_plan') return { tool, input: planOf(parts, last) };
    if (tool === 'submit_validation') return { tool, input: validationOf(brief) };
  }
  return brief.has(headings.requirements) ? synthesis(brief) : undefined;
}

type Sections = Map<string, string>;

/** It knows no way around a dead end: it would look again where nothing was found. */
function planOf(parts: string[], last: string): Action['input'] {
  const sections = promptSections(last);
  if (sections.has(headings.deadEnds)) return { subtasks: [] };
  const section = sections.get(headings.missing) ?? '';
  const missing = [...section.matchAll(/^- (.+)$/gm)].map(([, item = '']) => item);
  const taken = [...last.matchAll(/\bstep_(\d+)/g)].map(([, number]) => Number(number));
  const first = Math.max(0, ...taken) + 1;
  const wanted = missing.length > 0 ? missing : parts;
  return { subtasks: wanted.map((description, index) => ({ id: `step_${first + index}`, description })) };
}

/** Lists the files, reads each, quotes what fits the subtask, and ends. Without files it looks in its folder. */
function workOn(brief: Sections, messages: Message[], tools: ToolSpec[], texts: TextIndex): Action | string {
  const [description = ''] = (brief.get(headings.subtask) ?? '').split('\n\n');
  const parts = partsOf(description);
  const toolResults = toolResultsIn(messages);
  const call = nextStep(parts, brief, toolResults, tools);
  const phase = phaseOf(messages, tools.length > 0);
  const words = call === undefined ? computesNothing : `Scripted step of the offline model: ${call.tool}.`;
  if (phase === 'thought' || phase === 'observation') return words;
  if (call !== undefined) return { ...call, ...(phase === 'action' && { words }) };
  const isCut = toolResults.some(({ result }) => /; goes on with .*\]$/.test(result));
  const names = filesIn(brief).map(({ kind, name }) => `${name} (${kind})`);
  const where = names.join(', ').concat(isCut ? ', as far as one call reads them' : '') || texts.name;
  const lines = parts.flatMap((part) => {
    const found = [...returnedOn(part, toolResults), ...quotesFrom(part, toolResults, description, texts)];
    if (found.length > limits.rows)
      return nothingOn(part, `${where}: more than ${limits.rows} places fit equally well`);
    return found.length > 0 ? found : nothingOn(part, where);
  });
  const isFound = !lines.every(saysNothing);
  const said = isFound ? lines.join('\n') : `${lines.join(' ')} ${computesNothing}`;
  if (!tools.some(({ name }) => name === 'finish_subtask')) return said;
  const input = isFound ? { status: 'completed', result: said } : { status: 'failed', reason: said };
  return { tool: 'finish_subtask', input };
}

const filesIn = (brief: Sections): Array<{ name: string; kind: string }> =>
  [...(brief.get(headings.attachments) ?? '').matchAll(/^### (.+) \((\w+), \d+ bytes\)$/gm)].map(
    ([, name = '', kind = '']) => ({ name, kind }),
  );

function nextStep(parts: string[], brief: Sections, toolResults: ToolResult[], tools: ToolSpec[]): Action | undefined {
  const files = filesIn(brief).filter(({ kind }) => kind !== 'image');
  const isNew = ({ input, tool }: Action): boolean =>
    tools.some(({ name }) => name === tool) &&
    !toolResults.some((used) => used.tool === tool && used.input['name'] === input['name']);
  const reads = files.map(({ name }) => ({ tool: 'read_attachment', input: { name } }));
  const steps = reads.length === 0 ? [] : [{ tool: 'list_attachments', input: {} }, ...reads];
  return steps.find(isNew) ?? nextCall(parts, toolResults, tools);
}

function quotesFrom(part: string, toolResults: ToolResult[], context: string, texts: TextIndex): string[] {
  const reads = toolResults.filter(({ tool }) => tool === 'read_attachment');
  if (reads.length === 0) return linesOn(part, texts, context);
  const files = reads
    .filter(({ result }) => !/^(?:Error|Exception): /.test(result))
    .flatMap(({ input, result }) => {
      const name = String(input['name']);
      const records = recordsIn(result);
      return records?.map((text, index) => ({ name: `${name}[${index}]`, text })) ?? [{ name, text: result }];
    });
  return quotesOn(part, { folder: '', sentences: new SentenceIndex(files) }, context, limits.rows + 1);
}

/** The failed subtasks of a brief, each on a line `- step_1 (description): reason`. */
const failuresIn = (brief: Sections): Array<{ description: string; reason: string }> =>
  [...(brief.get(headings.failures) ?? '').matchAll(/^- \S+ \((.*?)\): (.+)$/gm)].map(
    ([, description = '', reason = '']) => ({ description, reason }),
  );

function synthesis(brief: Sections): string {
  const results = taggedIn(brief.get(headings.results) ?? '').map(({ content }) => content.trim());
  const said = [...results, ...failuresIn(brief).map(({ reason }) => reason)].filter((text) => text !== '');
  return `${said.join('\n')}\n\n${remark('the results of its subtasks')}`;
}

/** Calls an answer complete if every subtask has a result, and looks at nothing else. */
function validationOf(brief: Sections): Action['input'] {
  const missing = failuresIn(brief).map(({ description }) => description);
  return {
    is_complete: missing.length === 0 && (brief.get(headings.results) ?? '') !== '',
    missing_requirements: missing,
    quality: 'low',
    warnings: ['offline model: it only checks that every subtask has a result; no quality was judged'],
  };
}
