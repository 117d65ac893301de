import { spawn } from 'node:child_process';
import type { InboxQuestion } from '../../client.ts';
import { askedText } from '../../protocol/questions.ts';
import { printable } from '../../util/text/printable.ts';
import { jsonText } from '../exit.ts';
import type { Shell } from '../shell.ts';

/** The most characters of an environment variable, which Linux limits to 128 KB; standard input has the whole question. */
const longestVariable = 30_000;

/**
 * Runs a person's command for a new question, and does not wait for it. What it prints goes to standard error.
 *
 * @param warn is told in one line how the command failed
 */
export function notify(shell: Shell, command: string, waiting: InboxQuestion, warn: (text: string) => void): void {
  const { cwd, env, stderr } = shell;
  const failed = (how: string): void => warn(`--notify: ${command}: ${how}`);
  let said = '';
  try {
    const child = spawn(command, {
      shell: true,
      cwd,
      env: {
        ...env,
        REPRISE_WORKFLOW_ID: printable(waiting.workflowId),
        REPRISE_QUESTION_ID: printable(waiting.questionId),
        REPRISE_FROM: printable(waiting.from),
        REPRISE_QUESTION: printable(askedText(waiting)).slice(0, longestVariable),
      },
      // What has a file of its own is written to even after this command has ended.
      stdio: ['pipe', stderr.fd ?? 'pipe', 'pipe'],
    });
    child.stdout?.pipe(stderr, { end: false });
    child.stderr?.setEncoding('utf8').on('data', (text: string) => (said = (said + text).slice(0, 1000)));
    child.once('error', ({ message }) => failed(message));
    child.once('close', (status, signal) => {
      if (status === 0) return;
      const [reason = ''] = printable(said).trim().split('\n');
      failed(`${signal ?? `status ${status}`}${reason === '' ? '' : ` (${reason})`}`);
    });
    // A command may end without reading its standard input.
    child.stdin?.on('error', () => {}).end(`${jsonText(waiting)}\n`);
  } catch (error) {
    failed((error as Error).message);
  }
}
