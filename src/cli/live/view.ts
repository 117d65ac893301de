import type { WriteStream } from 'node:tty';
import { createLogUpdate } from 'log-update';
import type { RunSnapshot } from '../../client.ts';
import { placeIn } from './progress.ts';
import { Telling } from './telling.ts';
import { drawRegion } from './region.ts';
import stringWidth from 'string-width';

/** Shows a run while it goes on, on standard error. */
export interface View {
  show(look: RunSnapshot): void;
  /** Says something that is not the run's. */
  say(text: string): void;
  /** The same without a stamp: a block of lines as it is. */
  print(text: string): void;
  /** Leaves the terminal to somebody else until the next `show` or `say`. */
  pause(): void;
  /** Leaves the terminal as it should stay. */
  close(): void;
}

/** A region that is redrawn where a person looks at a terminal, else lines. */
export function openView(plain: boolean): View {
  const redraws = process.stderr.isTTY && process.env['TERM'] !== 'dumb' && !plain;
  return redraws ? new TerminalView(process.stderr) : new PlainView(plain);
}

/** How long nothing may be said before a line tells that the run goes on. */
const silenceMs = 30_000;

/** Lines as they come: for pipes, logs and `--plain`. */
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

/** What has happened scrolls up; below it a region shows what is going on, redrawn in place. */
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

  /** A narrower terminal has wrapped the region's lines: it takes more rows now than when it was drawn. */
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
