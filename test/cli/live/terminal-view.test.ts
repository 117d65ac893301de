import { EventEmitter } from 'node:events';
import { PassThrough } from 'node:stream';
import type { WriteStream } from 'node:tty';
import { describe, expect, test } from 'vitest';
import { terminalView, type View } from '../../../src/cli/live/view.ts';
import type { Input } from '../../../src/cli/shell.ts';
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
  texts: [{ activityId: 'model-1', agent: 'agent_a', purpose: 'answer', offset: 0, text: partial, reset: true }],
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

function openTerminal(columns: number, rows?: number): { terminal: Terminal; view: View } {
  const terminal = new Terminal(columns, rows);
  return { terminal, view: terminalView(terminal as unknown as WriteStream, { cancel: 'reprise cancel q1' }) };
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
  expect(rows[0]).toBe('First.');
  expect(rows.slice(1)).toEqual([
    '',
    '  ✎ agent_a  answering',
    '  attempt 1/3: answeri…',
    expect.stringMatching(/^ {2}\d+ s$/),
  ]);
});

describe('a call that is made again', () => {
  const at = (seconds: number): string => new Date(Date.now() + seconds * 1000).toISOString();
  const failing = (attempt: number, wait: number): RunSnapshot => ({
    ...look([], ''),
    calls: [
      {
        activityId: 'model-1',
        activity: 'callModel',
        attempt,
        lastFailure: 'openai gpt at http://127.0.0.1:9: 429 Slow down',
        nextTryAt: at(wait),
        endsAt: at(300),
      },
    ],
  });

  test('is one line that is redrawn: what failed and where, when the next try is, how long that goes on, how to end it', () => {
    const { terminal, view } = openTerminal(200);
    view.show(look([thinking], ''));
    for (const [attempt, wait] of [[2, 4] as const, [3, 8] as const, [30, 16] as const])
      view.show(failing(attempt, wait));
    const rows = shown(terminal).filter((row) => row.includes('429'));
    expect(rows).toEqual([
      '  ⚠️ [agent_a] openai gpt at http://127.0.0.1:9: 429 Slow down; try 30 in 16 s, and more for up to 5 min. ' +
        'To end the run: reprise cancel q1',
    ]);
  });

  test('leaves nothing behind when it succeeds', () => {
    const { terminal, view } = openTerminal(100);
    view.show(look([thinking], ''));
    view.show(failing(5, 4));
    view.show(look([], 'It is'));
    expect(shown(terminal).join('\n')).not.toContain('429');
  });
});

test('on a terminal a line has the time of day alone, and breaks between words', () => {
  const { terminal, view } = openTerminal(40);
  view.show(look([event(2, 'What has happened is longer than the terminal is wide.')], ''));
  expect(terminal.screen.map((line) => line.trimEnd()).slice(0, 2)).toEqual([
    expect.stringMatching(/^\[\d\d:\d\d:\d\d\] What has happened is longer$/),
    '  than the terminal is wide.',
  ]);
});

describe('keys', () => {
  /** A view with keys, and what each of them has done. */
  function withKeys(): { terminal: Terminal; view: View; stdin: PassThrough; done: string[]; raw: boolean[] } {
    const [terminal, done, raw] = [new Terminal(90), [] as string[], [] as boolean[]];
    const stdin = Object.assign(new PassThrough(), { isTTY: true, setRawMode: (on: boolean) => void raw.push(on) });
    const view = terminalView(terminal as unknown as WriteStream, {
      cancel: 'reprise cancel q1',
      keys: {
        terminal: { stdin: stdin as unknown as Input, suspend: () => void done.push('suspend') },
        actions: {
          restart: () => void done.push('restart'),
          answer: () => void done.push('answer'),
          leave: () => void done.push('leave'),
        },
      },
    });
    return { terminal, view, stdin, done, raw };
  }
  const typed = async (stdin: PassThrough, text: string): Promise<void> => {
    stdin.write(text);
    await new Promise((resolve) => setImmediate(resolve));
  };

  test('are told of in a line below the agents, who have their numbers', () => {
    const { terminal, view } = withKeys();
    view.show(look([thinking], 'I begin'));
    const rows = shown(terminal);
    expect(rows.at(1)).toBe('1 ✎ agent_a  answering  I begin');
    expect(rows.at(-1)).toBe("  q leave, a answer, r restart, 1–9 an agent's text");
    view.close();
  });

  test('1 to 9 show the whole of what an agent writes, or has written, and hide it again', async () => {
    const { stdin, terminal, view } = withKeys();
    view.show(look([thinking], '{"content":"First.\\nSecond.'));
    await typed(stdin, '1');
    expect(shown(terminal).slice(1, 5)).toEqual([
      '  agent_a has written, as far as it is known:',
      '  First.',
      '  Second.',
      '',
    ]);
    const answer = { seq: 2, at, attempt: 1, type: 'answer', agent: 'agent_a', name: 'agent1.1', number: 1 } as const;
    view.show({ ...look([{ ...answer, content: 'First.\nSecond.\nThird.' }], ''), calls: [] });
    expect(shown(terminal)).toContain('  Third.');
    await typed(stdin, '1');
    expect(shown(terminal)).not.toContain('  Third.');
    await typed(stdin, '9');
    expect(shown(terminal).join('\n')).not.toContain('as far as it is known');
    view.close();
  });

  test.for([
    ['a', 'answer'],
    ['r', 'restart'],
    ['q', 'leave'],
    ['\u0003', 'leave'],
    ['\u001A', 'suspend'],
  ] as const)('%j does one thing: %s', async ([key, what]) => {
    const { done, stdin, view } = withKeys();
    view.show(look([thinking], ''));
    await typed(stdin, `xZ\r${key}`);
    expect(done).toEqual([what]);
    view.close();
  });

  test('do nothing while a prompt has the terminal, which is as it was then and after the end', async () => {
    const { done, raw, stdin, view } = withKeys();
    view.show(look([thinking], ''));
    expect(raw).toEqual([true]);
    view.pause();
    expect(raw).toEqual([true, false]);
    await typed(stdin, 'q');
    expect(done).toEqual([]);
    view.show(look([], ''));
    // Ctrl-D means nothing, and leaves the keys as they are.
    await typed(stdin, '\u0004');
    view.show(look([], ''));
    await typed(stdin, 'a');
    expect(done.at(-1)).toBe('answer');
    view.close();
    expect(raw.at(-1)).toBe(false);
    expect(stdin.listenerCount('keypress')).toBe(0);
  });
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
