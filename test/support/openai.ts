import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import OpenAI from 'openai';
import { agentOf } from './agent-script.ts';
import { askingTeam } from './asking.ts';
import type { SharedRunning } from './running.ts';
import { ownerToken, serving, type Serving } from './serving.ts';
import { teamOf } from './team-script.ts';

/** HTTP servers on one worker, as several behind a balancer, with OpenAI's client of each. */
export interface OpenaiServing {
  run: SharedRunning;
  servers: [Serving, ...Serving[]];
  client: OpenAI;
  /** That of the last server. */
  other: OpenAI;
  /** Ends the first server as a kill does. */
  kill(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

const configs = {
  team: teamOf(['agent1', 'agent2'], { type: 'openai' }),
  asking: askingTeam(300),
  scarce: teamOf(['agent1'], { type: 'openai' }, {}, { budget: { calls: 1 } }),
  agent: agentOf('openai', { simple: {} }),
  research: { research: { backend: { type: 'openai' }, search: { provider: 'folder', folder: '.' } } },
  plan: { plan: { backend: { type: 'openai' } } },
};

/** Starts servers whose configurations are a team, one that asks a person, one agent, a research run and a plan. */
export async function openaiServing(run: SharedRunning, count = 1): Promise<OpenaiServing> {
  for (const [name, config] of Object.entries(configs))
    writeFileSync(join(run.home, `${name}.yaml`), JSON.stringify(config));
  const first = await serving(run);
  const servers: OpenaiServing['servers'] = [first];
  while (servers.length < count) servers.push(await serving(run));
  const left = new Set<Serving>(servers);
  const end = async (server: Serving): Promise<void> => {
    if (left.delete(server)) await server[Symbol.asyncDispose]();
  };
  return {
    run,
    servers,
    client: clientOf(first),
    other: clientOf(servers.at(-1) ?? first),
    kill: () => end(first),
    async [Symbol.asyncDispose]() {
      await Promise.all(servers.map(end));
    },
  };
}

/** Nothing is asked twice, so that a test sees each failure. */
const clientOf = ({ url }: Serving): OpenAI => new OpenAI({ baseURL: `${url}/v1`, apiKey: ownerToken, maxRetries: 0 });

/** A script that waits at one point until it is let go on. */
export function gate(): { open: () => void; passed: Promise<void> } {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { open: resolve, passed: promise };
}
