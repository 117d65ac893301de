import { EventEmitter } from 'node:events';
import type { WriteStream } from 'node:tty';
import { expect, test } from 'vitest';
import { TerminalView } from '../../../src/cli/live/view.ts';
import type { RunSnapshot, RunEvent } from '../../../src/client.ts';
import type { OrchestrationState } from '../../../src/protocol/state.ts';

/** A terminal that shows what is written to it, wraps what is too long, and wraps anew when it is resized. */
class Terminal extends EventEmitter {
  readonly isTTY = true;
  rows = 24;
  columns: number;
  /** Lines as they were written, before wrapping; the cursor stands in the last one but `#up` rows. */
  #rows: string[] = [''];
  #row = 0;

  constructor(columns: number) {
    super();
    this.columns = columns;
  }

  write(text: string): boolean {
    // oxlint-disable-next-line no-control-regex
    for (const [, code, count, letter, plain] of text.matchAll(/(\x1B\[\??(\d*)([A-Za-z]))|([^\x1B])/g)) {
      if (code === undefined) this.#put(plain ?? '');
      else this.#obey(letter ?? '', Number(count || (letter === 'A' || letter === 'B' ? 1 : 0)));
    }
    return true;
  }

  /** What stands on the screen, without empty lines at the end. */
  get screen(): string[] {
    return this.#rows.join('\n').trimEnd().split('\n');
  }

  resize(columns: number): void {
    this.columns = columns;
    const wrapped = this.#rows.flatMap((row) => row.match(new RegExp(`.{1,${columns}}`, 'gu')) ?? ['']);
    this.#row += wrapped.length - this.#rows.length;
    this.#rows = wrapped;
    this.emit('resize');
  }

  #put(character: string): void {
    if (character === '\r') return;
    if (character === '\n') {
      this.#row += 1;
      this.#rows[this.#row] ??= '';
      return;
    }
    const row = this.#rows[this.#row] ?? '';
    if (row.length >= this.columns) this.#put('\n');
    this.#rows[this.#row] = `${this.#rows[this.#row] ?? ''}${character}`;
  }

  #obey(letter: string, count: number): void {
    if (letter === 'A') this.#row = Math.max(0, this.#row - count);
    if (letter === 'B') this.#row = Math.min(this.#rows.length - 1, this.#row + count);
    if (letter === 'K') this.#rows[this.#row] = '';
    if (letter === 'J') this.#rows = [...this.#rows.slice(0, this.#row), ''];
  }
}

const state: OrchestrationState = {
  workflow: 'orchestration',
  phase: 'answering',
  attempt: 1,
  maxAttempts: 3,
  agents: [{ id: 'agent_a', state: 'answering', answers: 0, timedOut: false, vote: null }],
  selectedAgent: null,
  restarts: [],
  usage: null,
};
const at = new Date().toISOString();
const event = (seq: number, text: string): RunEvent => ({ seq, at, attempt: 1, type: 'notice', text });
const thinking: RunEvent = {
  seq: 1,
  at,
  attempt: 1,
  type: 'thinking',
  agent: 'agent_a',
  purpose: 'answer',
  activityId: 'model-1',
  model: 'some-model',
};
const look = (events: RunEvent[], partial: string): RunSnapshot => ({
  events,
  state,
  calls: [
    {
      activityId: 'model-1',
      activity: 'callModel',
      attempt: 1,
      progress: { partial, characters: partial.length },
    },
  ],
});

/** Without colors and stamps. */
const shown = (terminal: Terminal): string[] =>
  terminal.screen.map((line) => line.replace(/^\[[^\]]*\] /, '').trimEnd());

function openTerminal(columns: number): { terminal: Terminal; view: TerminalView } {
  const terminal = new Terminal(columns);
  return { terminal, view: new TerminalView(terminal as unknown as WriteStream) };
}

test('what has happened scrolls up, and the region below it is redrawn in place', () => {
  const { terminal, view } = openTerminal(60);
  view.show(look([thinking, event(2, 'First.')], 'I begin'));
  view.show(look([], 'I begin to write'));
  view.show(look([event(3, 'Second.')], 'I begin to write more'));
  expect(shown(terminal)).toEqual([
    'First.',
    'Second.',
    '',
    '  ✎ agent_a  answering  I begin to write more',
    expect.stringMatching(/^ {2}attempt 1\/3, \d+ s$/),
  ]);
});

test('a narrower terminal has wrapped the region: nothing of it stays behind', () => {
  const { terminal, view } = openTerminal(60);
  view.show(look([thinking, event(2, 'First.')], 'A text that is about as long as the line, or longer'));
  terminal.resize(24);
  const rows = shown(terminal);
  expect(rows.slice(0, 2).join('')).toBe('First.');
  expect(rows.slice(2)).toEqual(['', '  ✎ agent_a  answering', expect.stringMatching(/^ {2}attempt 1\/3, \d+ s$/)]);
});

test('a call that is made again is told by its agent, or else by what it does', () => {
  const { terminal, view } = openTerminal(60);
  const again = { attempt: 2, lastFailure: 'status 500' };
  const calls = [
    { activityId: 'model-1', activity: 'callModel', ...again },
    { activityId: '7', activity: 'search', ...again },
  ];
  view.show({ ...look([thinking], ''), calls });
  view.close();
  expect(shown(terminal)).toEqual(['⚠️ [agent_a] try 2: status 500', '⚠️ [search] try 2: status 500']);
});

test('closing takes the region away and leaves what has happened', () => {
  const { terminal, view } = openTerminal(60);
  view.show(look([thinking, event(2, 'First.')], 'I begin'));
  view.close();
  view.close();
  expect(shown(terminal)).toEqual(['First.']);
  expect(terminal.listenerCount('resize')).toBe(0);
});
