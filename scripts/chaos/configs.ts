import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { agentOf } from '../../test/support/agent-script.ts';
import { teamOf } from '../../test/support/team-script.ts';
import { lookUp } from './look-ups.ts';
import type { RunKind } from './plan.ts';

/** How long a question waits for a person, in seconds. */
export const questionWaits = 8;

const backend = { type: 'openai', model: 'scripted-1', idle_timeout: 4 };
const rest = {
  permissions: [{ tool: 'book*', action: 'allow' }],
  // A model without a price would put a warning into each result.
  prices: { 'scripted-1': { input: 1, cachedInput: 1, output: 1 } },
};
const peers = { broadcast: 'agents', broadcast_timeout: 30 };
const both = ['rooms', 'facts'];
const human = { broadcast: 'human', broadcast_timeout: questionWaits };

const withTools = (team: ReturnType<typeof teamOf>, packages: string[]): object => ({
  ...team,
  agents: team.agents.map((agent) => ({ ...agent, tool_packages: packages })),
});

/** The configuration of each kind of run, a file of its own in the worker's folder, by whose name a run asks for it. */
const configs: Record<RunKind, object> = {
  team: withTools(teamOf(['agent_a', 'agent_b'], backend, { ...human, max_orchestration_restarts: 1 }, rest), both),
  peers: withTools(teamOf(['agent_a', 'agent_b', 'agent_c'], backend, peers, rest), ['facts']),
  chat: { ...quick(agentOf('openai', { simple: { parallel: true } }, both, rest)), coordination: human },
  react: { ...quick(agentOf('openai', { react: {} }, both, rest)), coordination: human },
  study: { research: { backend, search: { provider: 'folder', folder: 'library' } }, ...rest },
  solve: { plan: { backend, executor: { tool_packages: both } }, ...rest },
};

/** An agent's model that counts as dead after a few seconds of silence. */
function quick(config: object): object {
  const { modules, ...others } = config as { modules: Array<{ id: string; config: object }> };
  const { type: _, ...model } = backend;
  return { ...others, modules: modules.map((each) => (each.id === 'llm' ? { ...each, config: model } : each)) };
}

/** The name of the file with the configuration of a kind of run. */
export const configFile = (kind: RunKind): string => `${kind}.yaml`;

/** Tools that book at the service `ROOMS_URL`: one that must not run twice, and one that may run again with the same key. */
const rooms = `
const parameters = { type: 'object', properties: { operation: { type: 'string' } }, required: ['operation'] };
const book = (honours) => async ({ operation }, { idempotencyKey, workflowId, signal }) => {
  const query = new URLSearchParams({ operation, key: idempotencyKey, run: workflowId, honours });
  const response = await fetch(process.env.ROOMS_URL + '/book?' + query, { method: 'POST', signal });
  return response.text();
};
export const tools = [
  { name: 'book', description: 'Books a room.', parameters, sideEffects: true, execute: book('') },
  { name: 'book_by_key', description: 'Books a room.', parameters, sideEffects: 'idempotent', execute: book('yes') },
];
`;

/** A tool without side effects that is as quick as they often are, so that several of them end in any order. */
const facts = `
const parameters = { type: 'object', properties: { subject: { type: 'string' } }, required: ['subject'] };
async function execute({ subject }) {
  await new Promise((done) => setTimeout(done, Math.random() * 100));
  return '[read ' + subject + ']';
}
export const tools = [{ name: '${lookUp}', description: 'Looks something up.', parameters, sideEffects: false, execute }];
`;

/** Fills a worker's folder with the configurations, the tools, and something to search. */
export function writeConfigs(folder: string): void {
  mkdirSync(join(folder, 'library'), { recursive: true });
  for (const [kind, config] of Object.entries(configs)) {
    writeFileSync(join(folder, configFile(kind as RunKind)), JSON.stringify(config, null, 2));
  }
  writeFileSync(join(folder, 'rooms.ts'), rooms);
  writeFileSync(join(folder, 'facts.ts'), facts);
  for (const subject of ['heat maps', 'old towns', 'bridges']) {
    writeFileSync(join(folder, 'library', `${subject}.md`), `# On ${subject}\n\nA study of ${subject} and of plans.\n`);
  }
}
