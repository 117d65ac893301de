import { createInterface, clearScreenDown, cursorTo, moveCursor } from 'node:readline';
import type { Shell } from '../shell.ts';

/** How a prompt ended without what it is for: by Ctrl-D, by Ctrl-C, or because it was withdrawn. */
export type Left = { kind: 'end' } | { kind: 'interrupt' } | { kind: 'withdrawn' };

/** How a prompt ended: with a line and the lines pasted after it, or without. */
type Entered = { kind: 'line'; text: string; more: string[] } | Left;

/** How long keys are discarded before a prompt that nobody has seen yet, in milliseconds. */
const settleMs = 50;

/**
 * Prompts on the terminal and reads a line. It may be called only where `canPrompt` of the shell says so.
 *
 * @param options `withdrawn` removes the prompt and what was typed so far; `history` has earlier lines for the arrow
 *   keys, the newest first; `initial` stands there already, to be changed
 */
export function readLine(
  { stderr, stdin }: Shell,
  prompt: string,
  { withdrawn, history = [], initial }: { withdrawn?: AbortSignal; history?: string[]; initial?: string },
): Promise<Entered> {
  return new Promise((resolve) => {
    const keys = createInterface({
      input: stdin,
      output: stderr,
      history: [...history],
      terminal: true,
    });
    const end = (entered: Entered): void => {
      withdrawn?.removeEventListener('abort', withdraw);
      keys.off('close', leave);
      keys.close();
      resolve(entered);
    };
    const withdraw = (): void => {
      moveCursor(stderr, 0, -keys.getCursorPos().rows);
      cursorTo(stderr, 0);
      clearScreenDown(stderr);
      end({ kind: 'withdrawn' });
    };
    const leave = (): void => {
      stderr.write('\n');
      end({ kind: 'end' });
    };
    const lines: string[] = [];
    keys.on('line', (line) => {
      lines.push(line);
      if (lines.length > 1) return;
      setImmediate(() => end({ kind: 'line', text: line, more: lines.slice(1) }));
    });
    keys.on('SIGINT', () => {
      stderr.write('\n');
      end({ kind: 'interrupt' });
    });
    keys.on('close', leave);
    withdrawn?.addEventListener('abort', withdraw);
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
  await new Promise((resolve) => setTimeout(resolve, settleMs));
  stdin.off('data', keep).pause();
  return { interrupted: typed.includes('\u0003') };
}
