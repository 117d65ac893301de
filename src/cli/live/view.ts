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

/** Shows a run on standard error while it is running. */
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
  /** Whether a person types what is said. */
  isChat?: boolean;
  isColored?: boolean;
  cancel: string;
  /** Makes the commands in a text such as can be typed here. */
  typed?: Shell['typed'];
  /** What keys do beside what the view does by itself; absent where nobody may press any. */
  keys?: { terminal: KeyTerminal; actions: Omit<KeyActions, 'open'> };
}

/** Opens a view that redraws a region where standard error is a capable terminal, and else one that adds lines. */
export function openView(shell: Shell, options: ViewOptions): View {
  const { env, stderr } = shell;
  const { typed } = shell;
  const redraws = stderr.isTTY && env['TERM'] !== 'dumb' && !options.plain;
  const here = { ...options, cancel: typed(options.cancel), typed };
  return redraws ? new TerminalView(stderr, { ...here, isColored: shell.isColored(stderr) }) : plainView(stderr, here);
}

/** After how long a silence a line says that the run goes on, in milliseconds. */
const silenceMs = 30_000;

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
      if (Date.now() - saidAt < silenceMs || look.state === undefined) return;
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
export class TerminalView implements View {
  readonly #stream: Output;
  readonly #isColored: boolean;
  readonly #cancel: string;
  readonly #keys: ReturnType<typeof keysOf> | undefined;
  readonly #region: ReturnType<typeof createLogUpdate>;
  readonly #printer: EventPrinter;
  readonly #progress = new Progress();
  readonly #answer = new AnswerText();
  readonly #resized = (): void => this.#redrawReflowed();
  #look: RunSnapshot | undefined;
  #drawn: string[] = [];
  readonly #written = new Map<string, string>();
  #opened: string | undefined;

  constructor(stream: Output, { cancel, isChat, isColored = false, keys, typed }: ViewOptions) {
    this.#stream = stream;
    this.#isColored = isColored;
    this.#cancel = cancel;
    this.#keys = keys && keysOf(keys.terminal, { ...keys.actions, open: (place) => this.#open(place) });
    this.#printer = new EventPrinter(false, isChat, () => screenOf(stream).columns, typed);
    // Of a terminal without a size, log-update would take the width of 0 for what it says.
    const sized = Object.create(stream, {
      columns: { get: () => screenOf(stream).columns },
      rows: { get: () => screenOf(stream).rows },
      write: { value: stream.write.bind(stream) },
    }) as Output;
    this.#region = createLogUpdate(sized);
    stream.on('resize', this.#resized);
  }

  show(look: RunSnapshot): void {
    this.#look = look;
    this.#scroll(this.#printer.linesOf(look));
    this.#progress.see(look.events);
    this.#answer.see(look);
    for (const event of look.events)
      if (event.type === 'answer' || event.type === 'presented') this.#written.set(event.agent, event.content);
    for (const call of look.calls)
      if (call.progress?.partial) this.#written.set(this.#printer.agentOf(call), spoken(call.progress.partial));
    this.#draw();
  }

  say(text: string): void {
    this.#scroll([this.#printer.line(text)]);
    this.#draw();
  }

  print(text: string): void {
    this.#scroll([this.#printer.block(text)]);
    this.#draw();
  }

  pause(): void {
    this.#keys?.stop();
    this.#region.clear();
    this.#region.done();
    this.#drawn = [];
  }

  close(): void {
    this.#stream.off('resize', this.#resized);
    this.pause();
    this.#look = undefined;
  }

  #scroll(lines: string[]): void {
    if (lines.length > 0) this.#region.persist(lines.join('\n'));
  }

  #open(place: number): void {
    const agent = this.#look?.state?.agents[place]?.id;
    this.#opened = agent === this.#opened ? undefined : agent;
    this.#draw();
  }

  /** What stands above the agents. */
  #text(): Pick<Parameters<typeof drawRegion>[0], 'answer' | 'isOpened'> {
    const agent = this.#opened;
    if (agent === undefined) return { answer: this.#answer.answer };
    const text = printable(this.#written.get(agent) ?? '').trim() || 'Nothing yet.';
    return { answer: { agent, text, isGrowing: true }, isOpened: true };
  }

  #draw(): void {
    const { state, calls } = this.#look ?? {};
    if (state === undefined || calls === undefined) return;
    this.#keys?.start();
    const texts = new Map(
      calls.map((call) => [this.#printer.agentOf(call), call.progress?.waitsFor ?? call.progress?.partial ?? '']),
    );
    const progress = this.#progress.partsOf({ calls, state }, Date.now());
    const silent = calls.filter((call) => !isWriting(call));
    const retries = retryLines(silent, this.#printer.agentOf, this.#cancel, Date.now());
    const scene = { state, texts, ...this.#text(), retries, progress, hasKeys: this.#keys !== undefined };
    this.#drawn = drawRegion(scene, screenOf(this.#stream), this.#isColored);
    this.#region(this.#drawn.join('\n'));
  }

  /** Draws the region again after a resize. A narrower terminal has wrapped its lines, so that it now takes more rows. */
  #redrawReflowed(): void {
    const height = this.#drawn
      .map((line) => Math.ceil(stringWidth(line) / screenOf(this.#stream).columns))
      .reduce((sum, rows) => sum + Math.max(1, rows), 0);
    if (height === 0) return;
    this.#stream.write(`\x1B[${height}A\r\x1B[J`);
    this.#region.done();
    this.#draw();
  }
}
