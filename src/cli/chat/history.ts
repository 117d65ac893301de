import { readFileSync } from 'node:fs';
import { problemsOf, problemText } from '../../config/problems.ts';
import { sessionInputSchema } from '../../config/session-input.ts';
import type { EarlierMessage } from '../../protocol/orchestration.ts';
import { usageError } from '../exit.ts';

const schema = sessionInputSchema.shape.history;

const form = 'A history is [{"role": "system" | "user" | "assistant", "content": "…"}, …]';

/** Reads what was said before a conversation. @throws `CommandError`, status 2, with everything that is wrong */
export function readHistory(file: string): EarlierMessage[] {
  const content = parse(file);
  const checked = schema.safeParse(content);
  if (checked.success) return checked.data;
  const problems = problemsOf(schema, checked.error, content);
  throw usageError([...problems.map((problem) => problemText(problem, file)), form].join('\n'));
}

function parse(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const reason =
      code === 'ENOENT' ? 'no such file' : error instanceof SyntaxError ? `is no JSON: ${message}` : message;
    throw usageError(`${file}: ${reason}\n${form}`);
  }
}
