import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { checkModel } from '../../src/cli/model-servers.ts';
import type { Backend } from '../../src/protocol/settings.ts';
import { startModelServer, type ModelServer } from '../support/model-server.ts';
import { serverKey, startNamedServer, type NamedServer, type ServerKind } from '../support/named-servers.ts';
import { teamScript } from '../support/team-script.ts';

let model: ModelServer;
let servers: Record<
  'openai' | 'anthropic' | 'openrouter' | 'azure' | 'ollama' | 'lmstudio' | 'vllm' | 'llamacpp',
  NamedServer
>;

beforeAll(async () => {
  model = await startModelServer(teamScript());
  const kinds = [
    'openai',
    'anthropic',
    'openrouter',
    'azure',
    'ollama',
    'lmstudio',
    'vllm',
    'llamacpp',
  ] satisfies ServerKind[];
  const started = await Promise.all(kinds.map(async (kind) => [kind, await startNamedServer(kind, model)] as const));
  servers = Object.fromEntries(started) as typeof servers;
});
afterAll(async () => {
  await Promise.all(Object.values(servers).map((server) => server.close()));
  await model.close();
});

type Kind = keyof typeof servers;

/** The backend and the variables with which a server of some kind is asked for a model. */
function given(kind: Kind, name: string): [Backend, Record<string, string>] {
  const bases: Partial<Record<Kind, string>> = { anthropic: '', openrouter: '/api/v1', azure: '/openai/v1' };
  const variables: Partial<Record<Kind, string>> = {
    anthropic: 'ANTHROPIC_API_KEY',
    openrouter: 'OPENROUTER_API_KEY',
    azure: 'AZURE_OPENAI_API_KEY',
    ollama: 'OLLAMA_API_KEY',
  };
  const { [kind]: api_key_env = 'REPRISE_MODEL_KEY' } = variables;
  const base_url = `${servers[kind].url}${bases[kind] ?? '/v1'}`;
  const isOpen = kind === 'ollama' || kind === 'lmstudio';
  const types: Partial<Record<Kind, Backend['type']>> = { openai: 'openai', anthropic: 'claude' };
  const { [kind]: type = 'chatcompletion' } = types;
  return [{ type, model: name, base_url, api_key_env }, isOpen ? {} : { [api_key_env]: serverKey(kind) }];
}

const refusal = async (kind: Kind, name: string): Promise<string | undefined> =>
  checkModel('--model x', ...given(kind, name), true).then(
    () => undefined,
    (error: Error) => error.message,
  );

describe('a model that a server does not list is refused, with the nearest names', () => {
  test.for<[kind: Kind, name: string, said: RegExp]>([
    ['openai', 'gpt-5.3', /^--model x: http:\S+ has no model "gpt-5\.3"; did you mean gpt-5\.4\? it has: gpt-5\.4$/],
    ['anthropic', 'claude-sonnet-5', /no model "claude-sonnet-5"; did you mean claude-sonnet-5-5\?/],
    ['openrouter', 'z-ai/glm-6', /no model "z-ai\/glm-6"; did you mean z-ai\/glm-5\?/],
    ['vllm', 'Qwen/Qwen3-4B', /did you mean Qwen\/Qwen3-8B\?/],
    ['lmstudio', 'qwen/qwen3-4b', /no model "qwen\/qwen3-4b"; did you mean qwen\/qwen3-8b\?/],
    [
      'ollama',
      'qwen3:4b',
      /^--model x: Ollama at .*did you mean qwen3:8b\? it has: qwen3:8b, .*ollama pull qwen3:4b$/s,
    ],
  ])('%s: %s', async ([kind, name, said]) => {
    expect(await refusal(kind, name)).toMatch(said);
  });
});

describe('what a list need not hold is let pass', () => {
  test.for<[what: string, kind: Kind, name: string]>([
    ['a model that is listed', 'openai', 'gpt-5.4'],
    ['a variant of one, at OpenRouter', 'openrouter', 'z-ai/glm-5:nitro'],
    ['a tag that is meant', 'ollama', 'Llama3.2'],
    ['a model of a cloud', 'ollama', 'gpt-oss:120b-cloud'],
    ['a deployment', 'azure', 'ours'],
    ['any name for the one model of llama.cpp', 'llamacpp', 'mine'],
  ])('%s', async ([, kind, name]) => {
    expect(await refusal(kind, name)).toBeUndefined();
  });

  test('whatever a server that lists nothing may have', async () => {
    const backend: Backend = { type: 'chatcompletion', model: 'm', base_url: model.openai };
    await checkModel('--model x', backend, {}, true);
    expect(model.requests).toEqual([]);
  });
});

test('a server that is away is named where it must be there, and waited for elsewhere', async () => {
  const backend: Backend = { type: 'chatcompletion', model: 'm', base_url: 'http://127.0.0.1:1/v1' };
  await expect(checkModel('--model x', backend, {}, true)).rejects.toThrow(
    /nothing answers at http:\/\/127\.0\.0\.1:1\/v1/,
  );
  await checkModel('team.yaml', backend, {}, false);
});
