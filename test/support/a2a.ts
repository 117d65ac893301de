import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Role, SendMessageRequest, TaskState, type StreamResponse, type Task } from '@a2a-js/sdk';
import { ClientFactory, DefaultAgentCardResolver, JsonRpcTransportFactory, type Client } from '@a2a-js/sdk/client';
import { agentOf, writeKit } from './agent-script.ts';
import { askingTeam } from './asking.ts';
import type { SharedRunning } from './running.ts';
import { ownerToken, serving, type Serving } from './serving.ts';
import { teamOf } from './team-script.ts';
import { ownDocs } from '../../src/config/search-services.ts';

/** HTTP servers on one worker, as several behind a balancer, with A2A's client of each. */
export interface A2aServing {
  run: SharedRunning;
  servers: [Serving, ...Serving[]];
  /** Of the first server. */
  client: Client;
  /** Of the last one. */
  other: Client;
  /** Ends the first server as a kill does. */
  kill(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

const attended = { attended: true };

const configs = {
  team: teamOf(['agent1', 'agent2'], { type: 'openai' }),
  asking: askingTeam(300),
  agent: agentOf('openai', { simple: {} }, ['kit'], attended),
  twice: agentOf('openai', { simple: { parallel: true } }, ['kit'], attended),
  research: {
    research: { backend: { type: 'openai' }, search: { provider: 'folder', folder: ownDocs }, approval: true },
  },
};

/** Starts servers whose configurations are a team, one that asks a person, agents with a tool, and research that is approved. */
export async function a2aServing(run: SharedRunning, count = 1): Promise<A2aServing> {
  writeKit(run.home);
  for (const [name, config] of Object.entries(configs))
    writeFileSync(join(run.home, `${name}.yaml`), JSON.stringify(config));
  const first = await serving(run);
  const servers: A2aServing['servers'] = [first];
  while (servers.length < count) servers.push(await serving(run));
  const left = new Set<Serving>(servers);
  const end = async (server: Serving): Promise<void> => {
    if (left.delete(server)) await server[Symbol.asyncDispose]();
  };
  return {
    run,
    servers,
    client: await clientOf(first),
    other: await clientOf(servers.at(-1) ?? first),
    kill: () => end(first),
    async [Symbol.asyncDispose]() {
      await Promise.all(servers.map(end));
    },
  };
}

/** The SDK's client of a server. @param version of the protocol; absent: the one that the card prefers */
export async function clientOf({ url }: Serving, token = ownerToken, version?: string): Promise<Client> {
  const fetchImpl: typeof fetch = (input, init = {}) => {
    const headers = new Headers(init.headers);
    headers.set('authorization', `Bearer ${token}`);
    return fetch(input, { ...init, headers });
  };
  const resolver = new DefaultAgentCardResolver({ fetchImpl });
  const transports = [new JsonRpcTransportFactory({ fetchImpl, legacyCompat: { enabled: true } })];
  const card = await resolver.resolve(url);
  const of = card.supportedInterfaces.filter(({ protocolVersion }) => [undefined, protocolVersion].includes(version));
  return new ClientFactory({ transports }).createFromAgentCard({ ...card, supportedInterfaces: of });
}

interface Said {
  messageId: string;
  taskId?: string;
  contextId?: string;
  configuration?: string;
  data?: object;
  returnImmediately?: boolean;
}

/** A request that says a text, or data. */
export const says = (text: string, { configuration, data, returnImmediately, ...message }: Said): SendMessageRequest =>
  SendMessageRequest.fromJSON({
    message: {
      role: 'ROLE_USER',
      parts: data === undefined ? [{ text }] : [{ data }],
      ...message,
      ...(configuration !== undefined && { metadata: { configuration } }),
    },
    configuration: { returnImmediately },
  });

export async function sent(client: Client, request: SendMessageRequest): Promise<Task> {
  return (await client.sendMessage(request)) as Task;
}

const nameOf = (state: TaskState | undefined): string => TaskState[state ?? 0] ?? '';

export const stateOf = ({ status }: Task): string => nameOf(status?.state);

/** The texts of a task's status. */
export const statusText = ({ status }: Pick<Task, 'status'>): string =>
  (status?.message?.parts ?? []).flatMap(({ content }) => (content?.$case === 'text' ? content.value : [])).join('\n');

export const answerIn = ({ artifacts }: Task): string =>
  artifacts
    .flatMap(({ parts }) => parts)
    .flatMap(({ content }) => (content?.$case === 'text' ? content.value : []))
    .join('\n');

/** What of a task's history was said, by whom. */
export const historyOf = ({ history }: Task): Array<[role: string, text: string]> =>
  history.map(({ parts: [part], role }) => [
    Role[role] ?? '',
    part?.content?.$case === 'text' ? part.content.value : '',
  ]);

/** The numbers of the events that were told, and the states. */
export const seqsOf = (responses: StreamResponse[]): number[] =>
  responses.flatMap(({ payload }) =>
    payload?.$case === 'statusUpdate' && payload.value.metadata?.['type'] !== 'ended'
      ? [Number(payload.value.metadata?.['seq'])]
      : [],
  );

export const lastState = (responses: StreamResponse[]): string => {
  const { payload } = responses.at(-1) ?? {};
  return payload?.$case === 'statusUpdate' ? nameOf(payload.value.status?.state) : (payload?.$case ?? 'none');
};

export async function allOf<T>(stream: AsyncIterable<T>): Promise<T[]> {
  const all = [];
  for await (const each of stream) all.push(each);
  return all;
}
