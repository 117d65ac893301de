import { createLogUpdate } from 'log-update';
import type { PendingCall, RunSnapshot } from '../../client.ts';
import stringWidth from 'string-width';
import { AnswerText } from './answer-text.ts';
import { Progress } from './progress.ts';
import { keysOf, type KeyActions, type KeyTerminal } from './keys.ts';
import { drawRegion, spoken } from './region.ts';
import { dueRetries, isWriting, retryLines } from './retries.ts';
import { screenOf } from './screen.ts';
import { numberText } from '../../client/show/spent.ts';
import { printable } from '../../util/text/printable.ts';
import type { Output, Shell } from '../shell.ts';
import { EventPrinter } from './event-printer.ts';

export interface View {
  show(look: RunSnapshot): void;
  /** Adds a stamped line of the command itself. */
  say(text: string): void;
  /** Adds lines without a stamp, to the letter. */
  print(text: string): void;
  /** Leaves the terminal to a prompt until the next `show`, `say` or `print`. */
  pause(): void;
  /** Ends the view; the terminal is then as it should stay. */
  close(): void;
}

interface ViewOptions {
  plain?: boolean;
  isChat?: boolean;
  isColored?: boolean;
  cancel: string;
  typed?: Shell['typed'];
  /** What keys do beside what the view does by itself; absent where nobody may press any. */
  keys?: { terminal: KeyTerminal; actions: Omit<KeyActions, 'open'> };
}

export function openView(shell: Shell, options: ViewOptions): View {
  const { env, stderr } = shell;
  const { typed } = shell;
  const redraws = stderr.isTTY && env['TERM'] !== 'dumb' && !options.plain;
  const here = { ...options, cancel: typed(options.cancel), typed };
  return redraws ? terminalView(stderr, { ...here, isColored: shell.isColored(stderr) }) : plainView(stderr, here);
}

/** Adds lines and redraws nothing: for pipes, logs and `--plain`. */
function plainView(stream: Output, { cancel, isChat, plain = false, typed }: ViewOptions): View {
  const printer = new EventPrinter(plain, isChat, stream.isTTY ? () => screenOf(stream).columns : undefined, typed);
  const progress = new Progress();
  const dueAt = new Map<string, number>();
  let saidAt = Date.now();
  const write = (line: string): void => {
    stream.write(`${line}\n`);
    saidAt = Date.now();
  };
  const say = (text: string): void => write(printer.line(text));
  /** Who is waited for, with how much that model has written by now, so that one who looks sees it grow. */
  const waitedFor = (call: PendingCall): string => {
    const { characters = 0, waitsFor } = call.progress ?? {};
    const how = waitsFor ?? (characters === 0 ? '' : `${numberText(characters, 0)} characters so far`);
    return printer.agentOf(call) + (how && ` (${how})`);
  };
  return {
    show(look) {
      for (const line of printer.linesOf(look)) write(line);
      for (const line of retryLines(dueRetries(look.calls, dueAt), printer.agentOf, cancel, Date.now())) say(line);
      progress.see(look.events);
      // A line says that the run goes on where nothing else has been said for so long.
      if (Date.now() - saidAt < 30_000 || look.state === undefined) return;
      const waiting = [...new Set(look.calls.map(waitedFor))].join(', ');
      say(`… ${progress.partsOf(look, Date.now()).join(', ')}${waiting && `: waiting for ${waiting}`}`);
    },
    say,
    print: (text) => write(printer.block(text)),
    pause() {},
    close() {},
  };
}

/** Lets what has happened scroll up, and redraws below it a region that shows what is going on. */
export function terminalView(stream: Output, options: ViewOptions): View {
  const { cancel, isChat, isColored = false, typed } = options;
  const printer = new EventPrinter(false, isChat, () => screenOf(stream).columns, typed);
  const progress = new Progress();
  const answer = new AnswerText();
  /** What each agent has written last, by its id. */
  const written = new Map<string, string>();
  let look: RunSnapshot | undefined;
  let drawn: string[] = [];
  /** The agent whose text a key has opened. */
  let opened: string | undefined;
  // Of a terminal without a size, log-update would take the width of 0 for what it says.
  const sized = Object.create(stream, {
    columns: { get: () => screenOf(stream).columns },
    rows: { get: () => screenOf(stream).rows },
    write: { value: stream.write.bind(stream) },
  }) as Output;
  const region = createLogUpdate(sized);

  const above = (): Pick<Parameters<typeof drawRegion>[0], 'answer' | 'isOpened'> => {
    if (opened === undefined) return { answer: answer.answer };
    const text = printable(written.get(opened) ?? '').trim() || 'Nothing yet.';
    return { answer: { agent: opened, text, isGrowing: true }, isOpened: true };
  };
  const draw = (): void => {
    const { state, calls } = look ?? {};
    if (state === undefined || calls === undefined) return;
    keys?.start();
    const texts = new Map(
      calls.map((call) => [printer.agentOf(call), call.progress?.waitsFor ?? call.progress?.partial ?? '']),
    );
    const now = Date.now();
    const silent = calls.filter((call) => !isWriting(call));
    const retries = retryLines(silent, printer.agentOf, cancel, now);
    const parts = progress.partsOf({ calls, state }, now);
    const scene = { state, texts, ...above(), retries, progress: parts, hasKeys: keys !== undefined };
    drawn = drawRegion(scene, screenOf(stream), isColored);
    region(drawn.join('\n'));
  };
  const scroll = (lines: string[]): void => {
    if (lines.length > 0) region.persist(lines.join('\n'));
    draw();
  };
  const open = (place: number): void => {
    const agent = look?.state?.agents[place]?.id;
    opened = agent === opened ? undefined : agent;
    draw();
  };
  const keys = options.keys && keysOf(options.keys.terminal, { ...options.keys.actions, open });
  /** Draws the region again after a resize. A narrower terminal has wrapped its lines, so that it now takes more rows. */
  const redrawReflowed = (): void => {
    const height = drawn
      .map((line) => Math.ceil(stringWidth(line) / screenOf(stream).columns))
      .reduce((sum, rows) => sum + Math.max(1, rows), 0);
    if (height === 0) return;
    stream.write(`\x1B[${height}A\r\x1B[J`);
    region.done();
    draw();
  };
  stream.on('resize', redrawReflowed);
  const pause = (): void => {
    keys?.stop();
    region.clear();
    region.done();
    drawn = [];
  };

  return {
    show(next) {
      look = next;
      progress.see(next.events);
      answer.see(next);
      const lines = printer.linesOf(next);
      for (const event of next.events)
        if (event.type === 'answer' || event.type === 'presented') written.set(event.agent, event.content);
      for (const call of next.calls)
        if (call.progress?.partial) written.set(printer.agentOf(call), spoken(call.progress.partial));
      scroll(lines);
    },
    say: (text) => scroll([printer.line(text)]),
    print: (text) => scroll([printer.block(text)]),
    pause,
    close() {
      stream.off('resize', redrawReflowed);
      pause();
      look = undefined;
    },
  };
}
