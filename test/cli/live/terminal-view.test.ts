import { EventEmitter } from 'node:events';
import type { WriteStream } from 'node:tty';
import { describe, expect, test } from 'vitest';
import { TerminalView } from '../../../src/cli/live/view.ts';
import type { RunSnapshot, RunEvent } from '../../../src/client.ts';
import type { OrchestrationState } from '../../../src/protocol/state.ts';

/** A terminal that shows what is written to it, wraps what is too long, and wraps anew when it is resized. */
class Terminal extends EventEmitter {
  readonly isTTY = true;
  rows: number;
  columns: number;
  /** Lines as they were written, before wrapping; the cursor stands in the last one but `#up` rows. */
  #rows: string[] = [''];
  #row = 0;

  constructor(columns: number, rows = 24) {
    super();
    this.columns = columns;
    this.rows = rows;
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
    if (this.columns > 0 && row.length >= this.columns) this.#put('\n');
    this.#rows[this.#row] = `${this.#rows[this.#row] ?? ''}${character}`;
  }

  #obey(letter: string, count: number): void {
    if (letter === 'A') this.#row = Math.max(0, this.#row - count);
    if (letter === 'B') this.#row = Math.min(this.#rows.length - 1, this.#row + count);
    if (letter === 'K' && count === 2) this.#rows[this.#row] = '';
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
  texts: [],
  state,
  calls: [
    {
      activityId: 'model-1',
      activity: 'callModel',
      attempt: 1,
      progress: { partial, characters: partial.length, attempt: 1 },
    },
  ],
});

/** Without colors and stamps. */
const shown = (terminal: Terminal): string[] =>
  terminal.screen.map((line) => line.replace(/^\[[^\]]*\] /, '').trimEnd());

function openTerminal(columns: number, rows?: number): { terminal: Terminal; view: TerminalView } {
  const terminal = new Terminal(columns, rows);
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
    expect.stringMatching(/^ {2}attempt 1\/3: answering, \d+ s$/),
  ]);
});

test('a narrower terminal has wrapped the region: nothing of it stays behind', () => {
  const { terminal, view } = openTerminal(60);
  view.show(look([thinking, event(2, 'First.')], 'A text that is about as long as the line, or longer'));
  terminal.resize(24);
  const rows = shown(terminal);
  expect(rows.slice(0, 2).join('')).toBe('First.');
  expect(rows.slice(2)).toEqual([
    '',
    '  ✎ agent_a  answering',
    '  attempt 1/3: answeri…',
    expect.stringMatching(/^ {2}\d+ s$/),
  ]);
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

describe('the final answer', () => {
  const presenting = { ...thinking, purpose: 'present' } as RunEvent;
  const restart: RunEvent = {
    seq: 3,
    at,
    attempt: 1,
    type: 'restart',
    by: 'person',
    from: 1,
    to: 2,
    reason: 'Only a plan',
    instructions: 'Do it',
  };

  test('grows in the region, and leaves nothing behind: what follows prints it once', () => {
    const { terminal, view } = openTerminal(60);
    view.show(look([presenting], 'It is'));
    view.show(look([], 'It is so.\nAnd why.'));
    expect(shown(terminal).slice(0, 4)).toEqual([
      '',
      '  agent_a is writing the final answer:',
      '  It is so.',
      '  And why.',
    ]);
    view.close();
    expect(shown(terminal)).toEqual(['']);
  });

  test('goes away when the team starts over', () => {
    const { terminal, view } = openTerminal(60);
    view.show(look([presenting], 'It is so.'));
    view.show(look([restart], 'It is so. Or'));
    expect(shown(terminal)).not.toContain('  It is so.');
    expect(terminal.screen.join('\n')).not.toContain('final answer');
  });

  test('does not grow beyond the screen', () => {
    const { terminal, view } = openTerminal(60, 12);
    const lines = Array.from({ length: 40 }, (_, index) => `Line ${index}`);
    view.show(look([presenting, event(2, 'First.')], 'Line'));
    for (const count of [10, 20, 40]) view.show(look([], lines.slice(0, count).join('\n')));
    expect(shown(terminal)[0]).toBe('First.');
    expect(terminal.screen.length).toBeLessThanOrEqual(12);
    expect(shown(terminal)).toContain('  Line 39');
  });
});

test('a terminal that does not know its size has whole lines', () => {
  const { terminal, view } = openTerminal(0, 0);
  view.show(look([thinking, event(2, 'What has happened.')], 'I begin'));
  expect(shown(terminal)).toEqual([
    'What has happened.',
    '',
    '  ✎ agent_a  answering  I begin',
    expect.stringMatching(/^ {2}attempt 1\/3: answering, \d+ s$/),
  ]);
});
