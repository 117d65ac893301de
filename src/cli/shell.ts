import { resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import type { ReadStream, WriteStream } from 'node:tty';
import { readEnvironment, type Environment } from '../util/environment.ts';
import { printable } from '../util/text/printable.ts';
import { jsonLine, type LogFormat } from '../worker/log-sink.ts';
import { jsonText } from './exit.ts';
import { programWord, withProgramWord } from './program-word.ts';

export type Input = NodeJS.ReadableStream & Partial<Pick<ReadStream, 'isTTY' | 'setRawMode'>>;

export type Output = NodeJS.WritableStream & Partial<Pick<WriteStream, 'isTTY' | 'columns' | 'rows'> & { fd: number }>;

type Signal = 'SIGINT' | 'SIGTERM' | 'SIGUSR2';

export interface Surroundings {
  stdin: Input;
  stdout: Output;
  stderr: Output;
  /** Variables by their names, as in `process.env`. */
  env: NodeJS.ProcessEnv;
  /** An absolute path. */
  cwd: string;
  /** Where signals come from, such as `process`; when absent, none comes. A command listens only to those that it obeys. */
  signals?: Record<'on' | 'off', (signal: Signal, listener: () => void) => unknown> & {
    kill?(group: 0, signal: 'SIGTSTP'): unknown;
  };
}

/** What one call of the command line reads and writes, so that several may be in one process. */
export class Shell {
  readonly stdin: Input;
  readonly stdout: Output;
  readonly stderr: Output;
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
  readonly #signals: Surroundings['signals'];
  #format: LogFormat = 'text';
  #word: string | undefined;

  constructor({ cwd, env, signals, stderr, stdin, stdout }: Surroundings) {
    this.stdin = stdin;
    this.stdout = stdout;
    this.stderr = stderr;
    this.env = env;
    this.cwd = cwd;
    this.#signals = signals;
  }

  get environment(): Environment {
    return readEnvironment(this.env);
  }

  get canPrompt(): boolean {
    return Boolean(this.stdin.isTTY && this.stderr.isTTY);
  }

  path(name: string): string {
    return resolve(this.cwd, name);
  }

  /** What the words of a command say: `-` alone is what comes by standard input. */
  async said(words: string[]): Promise<string> {
    return words.join(' ') === '-' ? (await text(this.stdin)).trim() : words.join(' ');
  }

  /** A text whose commands can be typed here. What is said has them so already. */
  readonly typed = (text: string): string => withProgramWord(text, (this.#word ??= programWord(this)));

  /** Whether a stream is a terminal that shows colors, and the person wants them (https://no-color.org). */
  isColored({ isTTY = false }: Output): boolean {
    const { FORCE_COLOR: forced, NO_COLOR: unwanted, TERM: terminal } = this.environment;
    return isTTY && unwanted === undefined && (forced !== undefined || terminal !== 'dumb');
  }

  /** @returns what ends the listening */
  onSignal(signals: Signal[], listener: () => void): () => void {
    for (const signal of signals) this.#signals?.on(signal, listener);
    return () => {
      for (const signal of signals) this.#signals?.off(signal, listener);
    };
  }

  /** Waits until the person, or whoever has started the process, ends it. */
  interrupted(): Promise<void> {
    return new Promise((resolved) => {
      const ignore = this.onSignal(['SIGINT', 'SIGTERM'], () => {
        ignore();
        resolved();
      });
    });
  }

  /** Has what is said from now on written as a log of this format, as a program that serves does. */
  sayAs(wanted: LogFormat): void {
    this.#format = wanted;
  }

  /** Does what Ctrl-Z does: it stops all of the group, since a shell waits for the process that has started this one. */
  readonly suspend = (): void => void this.#signals?.kill?.(0, 'SIGTSTP');

  /** Tells the person something on standard error, in which nothing can steer the terminal, whoever has said it. */
  readonly say = (text: string, level: 'INFO' | 'ERROR' = 'INFO'): void => this.tell(this.typed(text), level);

  /** The same, with the commands in it to the letter, since they may be what a person is to decide about. */
  readonly tell = (text: string, level: 'INFO' | 'ERROR' = 'INFO'): void => {
    const isJson = this.#format === 'json';
    const line = { time: new Date().toISOString(), level, message: text };
    this.stderr.write(isJson ? jsonLine(line) : `${printable(text)}\n`);
  };

  /** Prints an answer, and waits until it is written: a pipe may take it only after the process would have ended. */
  print(text: string): Promise<void> {
    return new Promise((resolve, reject) => {
      this.stdout.write(`${text}\n`, (error) => (error ? reject(error) : resolve()));
    });
  }

  /** Prints what a model or a file says: to the letter, but for a terminal in lines that fit and cannot steer it. */
  async printText(text: string): Promise<void> {
    if (!this.stdout.isTTY) return this.print(text);
    // Loading what widths are known by takes longer than many a command does.
    const { columnsOf, wrappedText } = await import('./show/layout.ts');
    return this.print(wrappedText(printable(text), columnsOf(this.stdout)));
  }

  printJson(value: unknown): Promise<void> {
    return this.print(jsonText(value));
  }
}
