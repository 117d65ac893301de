import { expect, test } from 'vitest';
import { promptBox } from '../../src/cli/questions/box.ts';
import type { Shell } from '../../src/cli/shell.ts';

test.each([{ kind: 'question' }, { kind: 'tool', tool: 'write_file', arguments: '{}' }] as const)(
  'a prompt of the kind $kind says which keys leave it and the run',
  (asked) => {
    const question = { questionId: 'q1', from: 'a', question: 'Why?', askedAt: '', expiresAt: null, ...asked };
    expect(promptBox({ stderr: {} } as Shell, question, true)).toMatch(
      /^Ctrl-D leaves it waiting; Ctrl-C leaves, and the run goes on\.\n=/,
    );
  },
);
