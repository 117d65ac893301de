import { WorkflowNotFoundError } from '@temporalio/client';
import type { Reprise, SessionRun } from '../../client.ts';
import { isPassing } from '../../client/snapshot.ts';
import { describeBackend } from '../../config/models/complete-backend.ts';
import type { Environment } from '../../util/environment.ts';
import { checkConversation } from '../../config/kinds.ts';
import { completeAgent, defaultAgent } from '../../config/one-agent.ts';
import { completeTeam } from '../../config/team.ts';
import type { SessionState } from '../../protocol/state.ts';
import { countText, dollarText, numberText, spentText } from '../../client/show/spent.ts';
import type { Shell } from '../shell.ts';

/** What a conversation takes as a command rather than as a turn, by what a person types. */
const commands = {
  '/help': 'lists these commands',
  '/model': 'says which model answers',
  '/cost': 'says what the conversation has cost so far',
  '/exit': 'ends it, as /quit and Ctrl-D do; Ctrl-C twice leaves it open',
};

type Typed =
  | { kind: 'turn'; text: string }
  | { kind: 'command'; name: string }
  | { kind: 'exit' }
  | { kind: 'nothing' };

/** Tells commands from turns. `//` at the beginning stands for a `/` with which the text of a turn begins. */
export function typedOf(line: string): Typed {
  const text = line.trim();
  if (text === '') return { kind: 'nothing' };
  if (text.startsWith('//')) return { kind: 'turn', text: text.slice(1) };
  if (!text.startsWith('/')) return { kind: 'turn', text };
  const [name = ''] = text.split(/\s/);
  return name === '/exit' || name === '/quit' ? { kind: 'exit' } : { kind: 'command', name };
}

export interface Conversation {
  reprise: Reprise;
  session: SessionRun;
  /** Whether the session was open before, and thus has a configuration of its own. */
  wasOpen: boolean;
  /** The configuration with which it begins otherwise; undefined for the default one. */
  config: object | undefined;
}

export async function obey(shell: Shell, name: string, conversation: Conversation): Promise<void> {
  if (name === '/help') shell.say(helpText());
  else if (name === '/model') shell.say(await modelText(shell.environment, conversation));
  else if (name === '/cost') shell.say(await spent(conversation));
  else shell.say(`There is no command ${name}.\n${helpText()}`);
}

function helpText(): string {
  const lines = Object.entries(commands).map(([name, what]) => `  ${name.padEnd(8)}${what}`);
  return [...lines, '  A text that is to begin with / begins with //.'].join('\n');
}

/** What nobody can tell at this moment, in words. @throws any other error */
function notTold(error: unknown): string {
  if (error instanceof WorkflowNotFoundError) return 'the session begins with the first turn';
  if (isPassing(error)) return 'no worker answers at present';
  throw error;
}

/** Asks a worker, for ten seconds at most. */
const withPatience = <T>({ client }: Reprise, query: () => Promise<T>): Promise<T> =>
  client.withDeadline(Date.now() + 10_000, query);

async function modelText(environment: Environment, conversation: Conversation): Promise<string> {
  const { config, reprise, session, wasOpen } = conversation;
  const models = new Map<string, string>();
  let untold: string | undefined;
  try {
    for (const event of await withPatience(reprise, () => session.events()))
      if (event.type === 'thinking') models.set(event.agent, event.model);
  } catch (error) {
    untold = notTold(error);
  }
  const used = [...models].map(([agent, model]) => `${agent}: ${model}`);
  const lines = used.length > 0 || wasOpen ? used : configuredModels(environment, config);
  return [
    ...(lines.length > 0 ? lines : [`The model is not known: ${untold ?? 'the session goes on with its next turn'}`]),
    'A session keeps its model. For another one, end it (/exit) and begin anew:',
    '  reprise chat --model NAME',
  ].join('\n');
}

function configuredModels(environment: Environment, config: object | undefined): string[] {
  const checked = config === undefined ? undefined : checkConversation(config);
  if (checked?.ok && checked.value.kind === 'team')
    return completeTeam(checked.value.team, environment).agents.map(
      ({ backend, id }) => `${id}: ${describeBackend(backend)}`,
    );
  const agent = checked?.ok && checked.value.kind === 'agent' ? completeAgent(checked.value.agent) : undefined;
  const { backend, id } = agent ?? defaultAgent(environment);
  return [`${id}: ${describeBackend(backend)}`];
}

async function spent({ reprise, session }: Conversation): Promise<string> {
  try {
    return spendingText(await withPatience(reprise, () => session.state()));
  } catch (error) {
    return `Nothing is known: ${notTold(error)}`;
  }
}

export function spendingText({ limits = { startedAt: 0 }, usage }: Pick<SessionState, 'limits' | 'usage'>): string {
  if (usage === null) return 'Nothing so far.';
  const { calls, tokens, usd } = limits;
  const most = [
    ...(calls === undefined ? [] : [countText(calls, 'call')]),
    ...(tokens === undefined ? [] : [countText(tokens, 'token')]),
    ...(usd === undefined ? [] : [dollarText(usd)]),
  ];
  const cached = usage.cachedInputTokens;
  const byAgent = Object.entries(usage.byAgent);
  return [
    `${spentText(usage)}${most.length === 0 ? '' : ` (of at most ${most.join(', ')})`}`,
    ...(cached === 0 ? [] : [`  ${numberText(cached, 0)} of the tokens from a cache`]),
    ...(byAgent.length < 2 ? [] : byAgent.map(([id, figures]) => `  ${id}: ${spentText(figures)}`)),
  ].join('\n');
}
