import type { WriteStream } from 'node:tty';
import { createLogUpdate } from 'log-update';
import stringWidth from 'string-width';
import type { Look } from '../../client.ts';
import { drawRegion } from './region.ts';
import { Telling } from './telling.ts';
import type { View } from './view.ts';

/** What has happened scrolls up; below it a region shows what is going on, redrawn in place. */
export class TerminalView implements View {
  readonly #stream: WriteStream;
  readonly #region: ReturnType<typeof createLogUpdate>;
  readonly #telling = new Telling(false);
  readonly #resized = (): void => this.#redrawReflowed();
  #startedAt: number | undefined;
  #look: Look | undefined;
  #drawn: string[] = [];

  constructor(stream: WriteStream) {
    this.#stream = stream;
    this.#region = createLogUpdate(stream);
    stream.on('resize', this.#resized);
  }

  show(look: Look): void {
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
