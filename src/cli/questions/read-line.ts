import { createInterface, clearScreenDown, cursorTo, moveCursor, type Key } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import type { Shell } from '../shell.ts';

/** How a prompt ended without what it is for: by Ctrl-D, by Ctrl-C, or because it was withdrawn. */
export type Left = { kind: 'end' } | { kind: 'interrupt' } | { kind: 'withdrawn' };

/** How a prompt ended: with a text and the lines that came with it at once, or without. What is pasted is one text. */
export type Entered = { kind: 'line'; text: string; more: string[] } | Left;

/** Makes a terminal say where something pasted begins and where it ends, and makes it stop. */
const marksPastes = { on: '\u001B[?2004h', off: '\u001B[?2004l' };

/** How long keys are discarded before a prompt that nobody has seen yet, in milliseconds. */
const settleMs = 50;

/**
 * Prompts on the terminal and reads a line. It may be called only where `canPrompt` of the shell says so.
 *
 * @param options `withdrawn` removes the prompt and what was typed so far; `history` has earlier lines, the newest first;
 *   `initial` stands there already, to be changed
 */
export function readLine(
  { env, stderr, stdin, suspend }: Shell,
  prompt: string,
  { withdrawn, history = [], initial }: { withdrawn?: AbortSignal; history?: string[]; initial?: string },
): Promise<Entered> {
  return new Promise((resolve) => {
    const keys = createInterface({ input: stdin, output: stderr, history: [...history], terminal: true });
    const knowsPastes = env['TERM'] !== 'dumb';
    let isPasting = false;
    const seeKey = (_text: string | undefined, { name }: Key): void => {
      if (name === 'paste-start' || name === 'paste-end') isPasting = name === 'paste-start';
    };
    stdin.on('keypress', seeKey);
    const end = (entered: Entered): void => {
      withdrawn?.removeEventListener('abort', withdraw);
      stdin.off('keypress', seeKey);
      keys.off('close', closed);
      keys.close();
      if (knowsPastes) stderr.write(marksPastes.off);
      resolve(entered);
    };
    const withdraw = (): void => {
      moveCursor(stderr, 0, -keys.getCursorPos().rows);
      cursorTo(stderr, 0);
      clearScreenDown(stderr);
      end({ kind: 'withdrawn' });
    };
    const leave = (kind: 'end' | 'interrupt'): void => {
      stderr.write('\n');
      end({ kind });
    };
    const closed = (): void => leave('end');
    const pasted: string[] = [];
    const texts: string[] = [];
    keys.on('line', (line) => {
      // A text of many lines that the arrow keys bring back has Node's own separators.
      pasted.push(line.replaceAll('\r', '\n'));
      if (isPasting) return;
      const text = pasted.splice(0).join('\n');
      texts.push(text);
      if (texts.length > 1) return;
      setImmediate(() => end({ kind: 'line', text, more: texts.slice(1) }));
    });
    keys.on('SIGINT', () => leave('interrupt'));
    // By itself readline stops this process alone, while a shell waits for the one that has started it.
    keys.on('SIGTSTP', () => {
      stdin.setRawMode?.(false);
      suspend();
      stdin.setRawMode?.(true);
      // A shell that was there meanwhile has its own way with what is pasted.
      if (knowsPastes) stderr.write(marksPastes.on);
      keys.prompt(true);
    });
    keys.on('close', closed);
    withdrawn?.addEventListener('abort', withdraw);
    if (knowsPastes) stderr.write(marksPastes.on);
    keys.setPrompt(prompt);
    keys.prompt();
    if (initial !== undefined) keys.write(initial);
    if (withdrawn?.aborted) withdraw();
  });
}

/** Discards what is typed before a prompt appears, since an Enter meant for something else would skip a question. */
export async function discardTyped({ stdin }: Shell): Promise<{ interrupted: boolean }> {
  let typed = '';
  const keep = (chunk: Buffer): void => void (typed += String(chunk));
  stdin.setRawMode?.(true);
  stdin.on('data', keep).resume();
  await pause(settleMs);
  stdin.off('data', keep).pause();
  return { interrupted: typed.includes('\u0003') };
}
