import type { WriteStream } from 'node:tty';
import { createLogUpdate } from 'log-update';
import type { RunSnapshot } from '../../client.ts';
import { placeIn } from './progress.ts';
import { Telling } from './telling.ts';
import { drawRegion } from './region.ts';
import stringWidth from 'string-width';

/** Shows a run on standard error while it is running. */
export interface View {
  show(look: RunSnapshot): void;
  /** Adds a stamped line of the command itself. */
  say(text: string): void;
  /** Adds a block of lines of the command itself, without a stamp. */
  print(text: string): void;
  /** Leaves the terminal to a prompt until the next `show`, `say` or `print`. */
  pause(): void;
  /** Ends the view; the terminal is then as it should stay. */
  close(): void;
}

/** Opens a view that redraws a region where standard error is a capable terminal, and else one that adds lines. */
export function openView(plain: boolean): View {
  const redraws = process.stderr.isTTY && process.env['TERM'] !== 'dumb' && !plain;
  return redraws ? new TerminalView(process.stderr) : new PlainView(plain);
}

/** How many milliseconds may pass in silence before a line says that the run goes on. */
const silenceMs = 30_000;

/** Adds lines and redraws nothing: for pipes, logs and `--plain`. */
class PlainView implements View {
  readonly #telling: Telling;
  #saidAt = Date.now();

  constructor(plain: boolean) {
    this.#telling = new Telling(plain);
  }

  show(look: RunSnapshot): void {
    for (const line of this.#telling.linesOf(look)) this.#write(line);
    if (Date.now() - this.#saidAt < silenceMs || look.state === undefined) return;
    const waiting = [...new Set(look.calls.map((call) => this.#telling.agentOf(call)))].join(', ');
    this.say(`… ${placeIn(look.state)}${waiting === '' ? '' : `: waiting for ${waiting}`}`);
  }

  say(text: string): void {
    this.#write(this.#telling.line(text));
  }

  print(text: string): void {
    this.#write(this.#telling.block(text));
  }

  pause(): void {}

  close(): void {}

  #write(line: string): void {
    process.stderr.write(`${line}\n`);
    this.#saidAt = Date.now();
  }
}

/** Lets what has happened scroll up, and redraws below it a region that shows what is going on. */
export class TerminalView implements View {
  readonly #stream: WriteStream;
  readonly #region: ReturnType<typeof createLogUpdate>;
  readonly #telling = new Telling(false);
  readonly #resized = (): void => this.#redrawReflowed();
  #startedAt: number | undefined;
  #look: RunSnapshot | undefined;
  #drawn: string[] = [];

  constructor(stream: WriteStream) {
    this.#stream = stream;
    this.#region = createLogUpdate(stream);
    stream.on('resize', this.#resized);
  }

  show(look: RunSnapshot): void {
    const [first] = look.events;
    this.#startedAt ??= first && Date.parse(first.at);
    this.#look = look;
    this.#scroll(this.#telling.linesOf(look));
    this.#draw();
  }

  say(text: string): void {
    this.#scroll([this.#telling.line(text)]);
    this.#draw();
  }

  print(text: string): void {
    this.#scroll([this.#telling.block(text)]);
    this.#draw();
  }

  pause(): void {
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

  #draw(): void {
    const { state, calls } = this.#look ?? {};
    if (state === undefined || calls === undefined) return;
    const texts = new Map(calls.map((call) => [this.#telling.agentOf(call), call.progress?.partial ?? '']));
    const elapsed = Date.now() - (this.#startedAt ?? Date.now());
    this.#drawn = drawRegion(state, texts, elapsed, this.#stream.columns);
    this.#region(this.#drawn.join('\n'));
  }

  /** Draws the region again after a resize. A narrower terminal has wrapped its lines, so that it now takes more rows. */
  #redrawReflowed(): void {
    const height = this.#drawn
      .map((line) => Math.ceil(stringWidth(line) / this.#stream.columns))
      .reduce((sum, rows) => sum + Math.max(1, rows), 0);
    if (height === 0) return;
    this.#stream.write(`\x1B[${height}A\r\x1B[J`);
    this.#region.done();
    this.#draw();
  }
}
