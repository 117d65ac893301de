import cliTruncate from 'cli-truncate';
import { createColors } from 'picocolors';
import stringWidth from 'string-width';
import type { State } from '../../protocol/state.ts';
import type { AgentState } from '../../protocol/agent-state.ts';
import { inWords } from '../../workflows/runtime/details.ts';
import { printable } from '../../util/text/printable.ts';
import type { GrowingAnswer } from './answer-text.ts';
import { keyHint } from './keys.ts';
import { wrapped, type Screen } from './screen.ts';

const marks: Record<AgentState, string> = {
  waiting: '·',
  answering: '✎',
  answered: '✓',
  voting: '✎',
  voted: '✓',
  asking: '?',
  using_tools: '✎',
  planning: '✎',
  criticising: '✎',
  writing: '✎',
  out: '✗',
  timed_out: '✗',
};

const judging = ['deciding', 'presenting', 'evaluating'];

interface Scene {
  state: State;
  texts: Map<string, string>;
  answer: GrowingAnswer | undefined;
  /** Whether `answer` is no answer, but the text of an agent that a key has opened. */
  isOpened?: boolean;
  retries?: string[];
  progress: string[];
  hasKeys?: boolean;
}

/** The lines that show what a run is doing. None is longer than the screen is wide, and all fit on it. */
export function drawRegion(
  { answer, hasKeys = false, isOpened = false, progress, retries = [], state, texts }: Scene,
  { columns, rows }: Screen,
  isColored = false,
): string[] {
  const { bold, dim } = createColors(isColored);
  const width = columns - 1;
  const summary = packed(progress, width - 2).map((line) => bold(cliTruncate(`  ${line}`, width)));
  // One agent alone is who the person talks with: its reply stands there as it would stand in a chat.
  const isChat = state.workflow === 'session' && state.agents.length === 1;
  const agents = isChat && answer !== undefined ? [] : agentLines(state, texts, answer, width, dim, hasKeys);
  const foot = [...summary, ...(hasKeys ? [dim(cliTruncate(`  ${keyHint}`, width))] : [])];
  const rowsLeft = Math.max(0, rows - 2 - agents.length - foot.length);
  const again = retries.flatMap((line) => broken(line, width)).slice(0, rowsLeft);
  const how = isOpened
    ? 'has written, as far as it is known'
    : answer?.isGrowing
      ? 'is writing the final answer'
      : 'has written this answer; it is not final yet';
  const text = answer === undefined ? [] : answerLines(answer, how, isChat, width, rowsLeft - again.length, dim);
  return ['', ...text, ...agents, ...again, ...foot];
}

const broken = (text: string, width: number): string[] =>
  wrapped(oneLine(text), Math.max(1, width - 4)).map((line, at) => cliTruncate((at > 0 ? '    ' : '  ') + line, width));

/** @param rows how many lines there may be: of a longer text the end is shown */
function answerLines(
  { agent, text }: GrowingAnswer,
  how: string,
  isChat: boolean,
  width: number,
  rows: number,
  dim: (text: string) => string,
): string[] {
  const head = isChat ? [] : [dim(cliTruncate(`  ${oneLine(agent)} ${how}:`, width))];
  const indent = isChat ? '' : '  ';
  const lines = wrapped(text, Math.max(1, width - indent.length)).map((line) =>
    cliTruncate(indent + line, width).trimEnd(),
  );
  const rowsLeft = rows - head.length - 1;
  return rowsLeft < 1 ? [] : [...head, ...lines.slice(-rowsLeft), ''];
}

function agentLines(
  state: State,
  texts: Map<string, string>,
  answer: GrowingAnswer | undefined,
  width: number,
  dim: (text: string) => string,
  hasKeys: boolean,
): string[] {
  const { agents, phase } = state;
  const selectedAgent = 'selectedAgent' in state ? state.selectedAgent : null;
  const idWidth = Math.min(Math.max(0, ...agents.map(({ id }) => stringWidth(oneLine(id)))), Math.floor(width / 3));
  return agents.map((agent, place) => {
    const { id, state: doing } = agent;
    const isFinal = id === selectedAgent && judging.includes(phase);
    const shown = cliTruncate(oneLine(id), idWidth);
    const name = shown + ' '.repeat(idWidth - stringWidth(shown));
    const key = hasKeys && place < 9 ? place + 1 : ' ';
    const head = `${key} ${isFinal ? '✎' : marks[doing]} ${name}  ${inWords(isFinal ? phase : doing).padEnd(10)} `;
    const widthLeft = width - stringWidth(head);
    const written = id === answer?.agent ? '' : readable(texts.get(id) ?? '');
    const text =
      written === ''
        ? cliTruncate(isFinal ? '' : about(state, agent), widthLeft)
        : cliTruncate(written, widthLeft, { position: 'start' });
    return widthLeft < 8 || text === '' ? cliTruncate(head.trimEnd(), width) : head + dim(text);
  });
}

/** What else there is to know of an agent that writes nothing: whom it has voted for, or what its subtask is. */
function about(state: State, { id, ...agent }: State['agents'][number]): string {
  if ('vote' in agent && agent.vote !== null && agent.state === 'voted') return `for ${readable(agent.vote)}`;
  if (state.workflow !== 'planAndExecute') return '';
  return readable(state.subtasks.find((subtask) => subtask.id === id)?.description ?? '');
}

const firstKey = /^\{\s*"\w+"\s*:\s*"/;

/** What a tool call's JSON says: its values without their keys. */
const values = (json: string): string =>
  json
    .replace(firstKey, '')
    .replace(/(?<!\\)"\s*,\s*"\w+"\s*:\s*"/g, ': ')
    .replace(/(?<!\\)"\s*\}?\s*$/, '');

/** What is said in a text, or in a tool call's JSON as far as it is written. */
export const spoken = (text: string): string =>
  (firstKey.test(text) ? values(text) : text)
    .replace(/\\n/g, '\n')
    .replace(/\\u([\da-f]{4})/gi, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)))
    .replace(/\\"/g, '"');

const readable = (text: string): string => oneLine(spoken(text));

const oneLine = (text: string): string => printable(text.replace(/\s+/g, ' ')).trim();

function packed(parts: string[], width: number): string[] {
  const lines: string[] = [];
  for (const part of parts) {
    const longer = `${lines.at(-1)}, ${part}`;
    if (lines.length > 0 && stringWidth(longer) <= width) lines[lines.length - 1] = longer;
    else lines.push(part);
  }
  return lines;
}
