import { createLogUpdate } from 'log-update';
import type { PendingCall, RunSnapshot } from '../../client.ts';
import stringWidth from 'string-width';
import { AnswerText } from './answer-text.ts';
import { Progress } from './progress.ts';
import { drawRegion } from './region.ts';
import { screenOf } from './screen.ts';
import { numberText } from './spent.ts';
import type { Output, Shell } from '../shell.ts';
import { Telling } from './telling.ts';

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

/**
 * Opens a view that redraws a region where standard error is a capable terminal, and else one that adds lines.
 *
 * @param isChat whether a person types what is said
 */
export function openView(shell: Shell, plain: boolean, isChat: boolean): View {
  const { env, stderr } = shell;
  const redraws = stderr.isTTY && env['TERM'] !== 'dumb' && !plain;
  return redraws
    ? new TerminalView(stderr, isChat, shell.isColored(stderr), shell.typed)
    : new PlainView(stderr, plain, isChat, shell.typed);
}

/** How many milliseconds may pass in silence before a line says that the run goes on. */
const silenceMs = 30_000;

/** Adds lines and redraws nothing: for pipes, logs and `--plain`. */
class PlainView implements View {
  readonly #stream: Output;
  readonly #telling: Telling;
  readonly #progress = new Progress();
  #saidAt = Date.now();

  constructor(stream: Output, plain: boolean, isChat: boolean, typed: Shell['typed']) {
    this.#stream = stream;
    this.#telling = new Telling(plain, isChat, typed);
  }

  show(look: RunSnapshot): void {
    for (const line of this.#telling.linesOf(look)) this.#write(line);
    this.#progress.see(look.events);
    if (Date.now() - this.#saidAt < silenceMs || look.state === undefined) return;
    const waiting = [...new Set(look.calls.map((call) => this.#waitedFor(call)))].join(', ');
    const place = this.#progress.partsOf(look, Date.now()).join(', ');
    this.say(`… ${place}${waiting === '' ? '' : `: waiting for ${waiting}`}`);
  }

  say(text: string): void {
    this.#write(this.#telling.line(text));
  }

  print(text: string): void {
    this.#write(this.#telling.block(text));
  }

  pause(): void {}

  close(): void {}

  /** Who is waited for, with how much that model has written by now, so that one who looks sees it grow. */
  #waitedFor(call: PendingCall): string {
    const agent = this.#telling.agentOf(call);
    const { characters = 0, waitsFor } = call.progress ?? {};
    const how = waitsFor ?? (characters === 0 ? '' : `${numberText(characters, 0)} characters so far`);
    return how === '' ? agent : `${agent} (${how})`;
  }

  #write(line: string): void {
    this.#stream.write(`${line}\n`);
    this.#saidAt = Date.now();
  }
}

/** Lets what has happened scroll up, and redraws below it a region that shows what is going on. */
export class TerminalView implements View {
  readonly #stream: Output;
  readonly #isColored: boolean;
  readonly #region: ReturnType<typeof createLogUpdate>;
  readonly #telling: Telling;
  readonly #progress = new Progress();
  readonly #answer = new AnswerText();
  readonly #resized = (): void => this.#redrawReflowed();
  #look: RunSnapshot | undefined;
  #drawn: string[] = [];

  constructor(stream: Output, isChat = false, isColored = false, typed?: Shell['typed']) {
    this.#stream = stream;
    this.#isColored = isColored;
    this.#telling = new Telling(false, isChat, typed);
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
    this.#scroll(this.#telling.linesOf(look));
    this.#progress.see(look.events);
    this.#answer.see(look);
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
    const texts = new Map(
      calls.map((call) => [this.#telling.agentOf(call), call.progress?.waitsFor ?? call.progress?.partial ?? '']),
    );
    const progress = this.#progress.partsOf({ calls, state }, Date.now());
    const scene = { state, texts, answer: this.#answer.answer, progress };
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
