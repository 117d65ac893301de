import { WorkflowNotFoundError } from '@temporalio/client';
import { readFileSync } from 'node:fs';
import { newRunId, RunNotOpenError, type Reprise, type SessionInput } from '../../client.ts';
import { obey, typedOf, type Conversation } from './chat-commands.ts';
import { chatCommand, checkText, openLines, problemsIn, goodbye, showLast, takeTurn } from './chat-turn.ts';
import { readAttachments } from '../attachments.ts';
import { readConversation } from '../checked-config.ts';
import { openWithWorker, withConnection } from '../connection.ts';
import { CommandError, Interruption, usageError } from '../exit.ts';
import { asCommandError } from '../failures.ts';
import { follow } from '../follow.ts';
import type { FollowOptions } from '../options.ts';
import { checkOut } from '../out.ts';
import type { Shell } from '../shell.ts';
import { placeText } from './start.ts';
import type { EarlierMessage } from '../../protocol/orchestration.ts';
import { isOpenStatus } from '../../util/run-status.ts';

type ChatOptions = FollowOptions & { history?: string };

export async function chat(shell: Shell, words: string[], options: ChatOptions): Promise<void> {
  const text = words.length === 0 ? undefined : await shell.said(words);
  if (text !== undefined) checkText(text);
  checkOut(shell, options);
  const config = await readConversation(shell, options);
  const input: SessionInput = {
    ...(config !== undefined && { config }),
    ...(await readAttachments(shell, options)),
    ...(options.history !== undefined && { history: readHistory(shell, options.history) }),
  };
  await withConnection(openWithWorker(shell, options), async (opened) => {
    if (text !== undefined && options.id === undefined) {
      const run = await opened.reprise.startSession({ ...input, text });
      shell.say(placeText(run.id, opened));
      return follow(shell, run, options);
    }
    const id = options.id ?? newRunId('chat');
    const isOpen = options.id !== undefined && (await isOpenSession(shell, opened.reprise, id, options));
    const session = opened.reprise.getSession(id, input);
    shell.say(placeText(id, opened));
    if (text === undefined)
      await converse(shell, { reprise: opened.reprise, session, wasOpen: isOpen, config }, options);
    else await takeTurn(shell, session, text, options);
  });
}

/** @throws `CommandError`, status 2, where the id is that of an open run that is no session */
async function isOpenSession(shell: Shell, { client }: Reprise, id: string, options: ChatOptions): Promise<boolean> {
  try {
    const { type, status } = await client.workflow.getHandle(id).describe();
    if (!isOpenStatus(status.name)) {
      shell.say(`The run ${id} has ended; a new session begins under its id`);
      return false;
    }
    if (type !== 'session') throw usageError(`The run ${id} is no session: its type is ${type}`);
    const { attach, config, history, model, maxTokens, agents, budget, tools, yes } = options;
    if (attach !== undefined)
      throw usageError(
        `The session ${id} is open, and takes files only when it begins; begin another one with --attach`,
      );
    if ([config, history, model, maxTokens, agents, budget, tools, yes].some((each) => each !== undefined))
      shell.say(`The session ${id} is open: it goes on with its own configuration and history`);
    return true;
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return false;
    throw error;
  }
}

async function converse(shell: Shell, conversation: Conversation, options: ChatOptions): Promise<void> {
  const { session, wasOpen } = conversation;
  const isTyped = shell.canPrompt;
  let hasBegun = wasOpen;
  let staysOpen = options.id !== undefined;
  const lines = openLines(shell, () => {
    if (hasBegun) shell.say(goodbye(session, options));
    throw new Interruption();
  });
  if (isTyped) shell.say('/help lists the commands; Ctrl-C ends a turn, Ctrl-D or /exit the conversation.');
  try {
    if (isTyped && wasOpen) await showLast(shell, session, options);
    for await (const line of lines) {
      const typed = typedOf(line);
      if (typed.kind === 'exit') break;
      if (typed.kind === 'nothing') continue;
      if (typed.kind === 'command') {
        await obey(shell, typed.name, conversation);
        continue;
      }
      hasBegun = true;
      await takeTurn(shell, session, typed.text, options, isTyped).catch((error: unknown) => {
        // A turn that fails does not end the conversation of a person.
        const failure = isTyped && !(error instanceof RunNotOpenError) ? asCommandError(error) : undefined;
        if (!(failure instanceof CommandError)) throw error;
        shell.say(failure.message);
      });
    }
  } catch (error) {
    if (error instanceof Interruption) staysOpen = true;
    throw error;
  } finally {
    if (!staysOpen && hasBegun)
      await session.close().catch((error: unknown) => {
        // It may have ended by itself.
        if (!(error instanceof RunNotOpenError)) throw error;
      });
  }
  if (staysOpen && hasBegun)
    shell.say(`The session ${session.id} stays open. Come back to it with: ${chatCommand(session.id, options)}`);
}

const form = 'A history is [{"role": "system" | "user" | "assistant", "content": "…"}, …]';

/** Reads a file of earlier messages. @throws `CommandError`, status 2, with everything that is wrong */
function readHistory(shell: Shell, file: string): EarlierMessage[] {
  try {
    const content: unknown = JSON.parse(readFileSync(shell.path(file), 'utf8'));
    const problems = problemsIn('history', content, file);
    if (problems.length > 0) throw usageError([...problems, form].join('\n'));
    return content as EarlierMessage[];
  } catch (error) {
    if (error instanceof CommandError) throw error;
    const { code, message } = error as NodeJS.ErrnoException;
    const reason = error instanceof SyntaxError ? `is no JSON: ${message}` : message;
    throw usageError(`${file}: ${code === 'ENOENT' ? 'no such file' : reason}\n${form}`);
  }
}
