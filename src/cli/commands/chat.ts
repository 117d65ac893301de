import { WorkflowNotFoundError } from '@temporalio/client';
import { readFileSync } from 'node:fs';
import { newRunId, RunNotOpenError, type Reprise, type SessionInput, type SessionRun } from '../../client.ts';
import { obey, typedOf, type Conversation } from './chat-commands.ts';
import { chatCommand, checkText, leave, openLines, problemsIn, takeTurn } from './chat-turn.ts';
import { readConversation } from '../checked-config.ts';
import { openWithWorker, revive, withConnection } from '../connection.ts';
import { CommandError, exitStatus, say, usageError } from '../exit.ts';
import { asCommandError } from '../failures.ts';
import { follow } from '../follow.ts';
import type { FollowOptions } from '../options.ts';
import { canPrompt } from '../questions/read-line.ts';
import { placeText } from './start.ts';
import type { EarlierMessage } from '../../protocol/orchestration.ts';

export interface ChatOptions extends FollowOptions {
  history?: string;
}

/** `reprise chat [TEXT]`: holds a conversation, or takes one turn of it. */
export async function chat(text: string | undefined, options: ChatOptions): Promise<void> {
  if (text !== undefined) checkText(text);
  const config = await readConversation(options);
  const input: SessionInput = {
    ...(config !== undefined && { config }),
    ...(options.history !== undefined && { history: readHistory(options.history) }),
  };
  await withConnection(openWithWorker(options), async (opened) => {
    if (text !== undefined && options.id === undefined) {
      const run = await opened.reprise.startSession({ ...input, text });
      say(placeText(run.id, opened));
      await follow(run, options, () => revive(options));
      return;
    }
    const id = options.id ?? newRunId('chat');
    const isOpen = options.id !== undefined && (await isOpenSession(opened.reprise, id, options));
    const session = opened.reprise.getSession(id, input);
    say(placeText(id, opened));
    if (text === undefined) await converse({ reprise: opened.reprise, session, wasOpen: isOpen, config }, options);
    else await takeTurn(session, text, options);
  });
}

/**
 * Whether an id is that of an open session. Warns where the person may expect something else of the id.
 *
 * @throws `CommandError`, status 2, where the id is that of an open run that is no session
 */
async function isOpenSession({ client }: Reprise, id: string, options: ChatOptions): Promise<boolean> {
  try {
    const { type, status } = await client.workflow.getHandle(id).describe();
    if (status.name !== 'RUNNING') {
      say(`The run ${id} has ended; a new session begins under its id`);
      return false;
    }
    if (type !== 'session') throw usageError(`The run ${id} is no session: its type is ${type}`);
    const { config, history, model, agents, budget, tools } = options;
    if ([config, history, model, agents, budget, tools].some((each) => each !== undefined))
      say(`The session ${id} is open: it goes on with its own configuration and history`);
    return true;
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return false;
    throw error;
  }
}

/** Takes a turn for each line, until there are no more lines. */
async function converse(conversation: Conversation, options: ChatOptions): Promise<void> {
  const { session, wasOpen } = conversation;
  const isTyped = canPrompt();
  let hasBegun = wasOpen;
  const lines = openLines(() => (hasBegun ? leave(session, options) : process.exit(exitStatus.interrupted)));
  if (isTyped) say('/help lists the commands; Ctrl-D or /exit ends the conversation.');
  try {
    for await (const line of lines) {
      const typed = typedOf(line);
      if (typed.kind === 'exit') break;
      if (typed.kind === 'nothing') continue;
      if (typed.kind === 'command') {
        await obey(typed.name, conversation);
        continue;
      }
      hasBegun = true;
      await takeTurn(session, typed.text, options, isTyped).catch((error: unknown) => {
        if (!isTyped) throw error;
        sayFailure(error);
      });
    }
  } finally {
    if (options.id === undefined && hasBegun) await end(session);
  }
  if (options.id !== undefined && hasBegun)
    say(`The session ${session.id} stays open. Come back to it with: ${chatCommand(session.id, options)}`);
}

/** Says why a turn failed, which does not end the conversation. @throws errors that do end it */
function sayFailure(error: unknown): void {
  if (error instanceof RunNotOpenError) throw error;
  const failure = asCommandError(error);
  if (!(failure instanceof CommandError)) throw error;
  say(failure.message);
}

/** Closes a session, which may have ended by itself. */
async function end(session: SessionRun): Promise<void> {
  try {
    await session.close();
  } catch (error) {
    if (!(error instanceof RunNotOpenError)) throw error;
  }
}

const form = 'A history is [{"role": "system" | "user" | "assistant", "content": "…"}, …]';

/** Reads a file of earlier messages. @throws `CommandError`, status 2, with everything that is wrong */
function readHistory(file: string): EarlierMessage[] {
  const content = parse(file);
  const problems = problemsIn('history', content, file);
  if (problems.length > 0) throw usageError([...problems, form].join('\n'));
  return content as EarlierMessage[];
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
