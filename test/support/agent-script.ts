import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Scripted, Script, Seen } from './model-server.ts';

export { toolResults } from './reading.ts';

/** The configuration of one agent, as a run's input takes it. */
export function agentOf(
  type: 'openai' | 'claude',
  orchestrator: { simple: object } | { react: object },
  packages: string[] = [],
  rest: object = {},
): object {
  const [kind, config] =
    'simple' in orchestrator
      ? ['SimpleToolOrchestrator', orchestrator.simple]
      : ['ReActOrchestrator', orchestrator.react];
  const tools = packages.length > 0;
  return {
    modules: [
      {
        module: type === 'openai' ? 'OpenAIProvider' : 'AnthropicLLM',
        id: 'llm',
        config: { model: 'scripted-1' },
      },
      ...(tools ? [{ module: 'PythonToolProvider', id: 'tools', config: { tool_packages: packages } }] : []),
      { module: kind, id: 'agent', config },
    ],
    exchange: [
      { module: 'agent', protocol: 'LLMProtocol', provider: 'llm' },
      ...(tools ? [{ module: 'agent', protocol: 'ToolProviderProtocol', provider: 'tools' }] : []),
      { module: '__entry__', protocol: 'TextMessageHandlerProtocol', provider: 'agent' },
    ],
    // A model without a price would put a warning into each result.
    prices: { 'scripted-1': { input: 0, cachedInput: 0, output: 0 } },
    ...rest,
  };
}

/** Says one reply after the other, whatever is asked; then an error that names the request. */
export function inTurn(replies: Scripted[]): Script {
  let next = 0;
  return ({ prompt }) =>
    replies[next++] ?? {
      status: 400,
      errorBody: `{"error":{"message":"no reply left for: ${JSON.stringify(prompt.slice(-80)).slice(1, -1)}"}}`,
    };
}

export const call = (name: string, input: object | string, text?: string): Scripted => ({
  ...(text !== undefined && { text }),
  calls: [{ name, arguments: input }],
});

export const calls = (...each: Array<[name: string, input: object | string]>): Scripted => ({
  calls: each.map(([name, input]) => ({ name, arguments: input })),
});

/**
 * Writes a tool module `kit.ts` into a folder: `echo` gives its text back, `fail` reports a failure, `throw` breaks,
 * `slow` waits for its milliseconds and gives its text, `write` declares side effects.
 */
export function writeKit(folder: string): void {
  writeFileSync(
    join(folder, 'kit.ts'),
    `
const text = { type: 'object', properties: { text: { type: 'string' }, ms: { type: 'number' } }, required: ['text'] };
const failure = (message: string) => Object.assign(new Error(message), { name: 'ToolError' });
export const tools = [
  { name: 'echo', description: 'Echo.', parameters: text, execute: ({ text }: any) => text },
  { name: 'fail', description: 'Fail.', parameters: text, execute: ({ text }: any) => { throw failure(text); } },
  { name: 'throw', description: 'Break.', parameters: text, execute: async ({ text }: any) => { throw new Error(text); } },
  { name: 'slow', description: 'Wait.', parameters: text, execute: ({ text, ms }: any) => new Promise((done) => setTimeout(() => done(text), ms)) },
  { name: 'write', description: 'Write.', parameters: text, sideEffects: true, execute: ({ text }: any) => 'wrote ' + text },
];
`,
  );
}

/** Temperatures of requests, in order. */
export const temperatures = (requests: Seen[]): unknown[] => requests.map(({ temperature }) => temperature);
