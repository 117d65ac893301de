import { describe, expect, test } from 'vitest';
import { noticeBox, promptBox } from '../../src/cli/questions/box.ts';
import { EventPrinter } from '../../src/cli/live/event-printer.ts';
import { textOf } from '../../src/cli/commands/inbox.ts';
import type { Output, Shell } from '../../src/cli/shell.ts';

/** Where this program is called by its name, and what it calls itself in texts is replaced by that. */
const typed = (text: string): string => text.replaceAll('npx reprise', 'reprise').replaceAll('reprise', 'TYPED');
const shell = { stderr: {} as Output, stdout: {} as Output, typed } as Shell;

describe('a call that waits for approval stands to the letter, and only what the person may type as it is typed here:', () => {
  const call = JSON.stringify({ command: 'npx reprise list' });
  const question = { questionId: 'q1', from: 'a', question: 'May it?', askedAt: '', expiresAt: null, arguments: call };
  const asked = { ...question, kind: 'tool', tool: 'run_command', workflowId: 'w' } as const;

  test.each([
    ['in the prompt', promptBox(shell, asked, true), ''],
    ['in the notice', noticeBox(shell, asked, true, undefined), 'TYPED approve w q1 --allow'],
    ['in the inbox', textOf(asked, shell), 'TYPED approve w q1 --allow'],
    [
      'in the live view',
      new EventPrinter(true, false, undefined, typed)
        .linesOf({ events: [{ ...asked, type: 'approval_requested', seq: 1, at: '', attempt: 1 }] })
        .join('\n'),
      '',
    ],
  ])('%s', (_, text, command) => {
    expect(text).toContain('npx reprise list');
    expect(text).toContain(command);
  });
});

test.each([{ kind: 'question' }, { kind: 'tool', tool: 'write_file', arguments: '{}' }] as const)(
  'a prompt of the kind $kind says which keys leave it and the run',
  (asked) => {
    const question = { questionId: 'q1', from: 'a', question: 'Why?', askedAt: '', expiresAt: null, ...asked };
    expect(promptBox(shell, question, true)).toMatch(
      /^Ctrl-D leaves it waiting; Ctrl-C leaves, and the run goes on\.\n=/,
    );
  },
);
