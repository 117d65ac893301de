import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { OneAgentConfigInput, Reprise, Run, TeamConfigInput } from '../../src/client.ts';
import type { Backend } from '../../src/protocol/settings.ts';

/** A run of one of the four workflows. */
export interface Course {
  name: string;
  start(reprise: Reprise, backend: Backend): Promise<Run>;
}

const task = 'Which is the largest planet of the solar system? Answer in one sentence, and say why.';

type Coordination = NonNullable<TeamConfigInput['orchestrator']>['coordination'];

const team = (backend: Backend, ids: string[], coordination: Coordination): TeamConfigInput => ({
  agents: ids.map((id) => ({ id, backend })),
  orchestrator: { coordination },
});

/** The module of one agent's model that speaks a backend's wire. */
const modules = {
  openai: 'OpenAILLM',
  claude: 'AnthropicLLM',
  gemini: 'GoogleLLM',
  chatcompletion: 'ChatCompletionLLM',
} as const;

export type Wire = keyof typeof modules;

export const wires = Object.keys(modules) as Wire[];

type Loop = { module: 'SimpleToolOrchestrator' | 'ReActOrchestrator'; config: object };

const withTools = ({ type, ...llm }: Backend, loop: Loop): OneAgentConfigInput => ({
  modules: [
    { module: modules[type as Wire], id: 'llm', config: llm },
    { module: 'PythonToolProvider', id: 'tools', config: { tool_packages: ['tools.weather'] } },
    { id: 'agent', ...loop },
  ],
  exchange: [
    { module: 'agent', protocol: 'LLMProtocol', provider: 'llm' },
    { module: 'agent', protocol: 'ToolProviderProtocol', provider: 'tools' },
    { module: '__entry__', protocol: 'TextMessageHandlerProtocol', provider: 'agent' },
  ],
});

const weather = "What's the weather like in Paris, and is it colder in Berlin?";

const cities = 'city,country,population\nLagos,Nigeria,15400000\nCairo,Egypt,10100000\nParis,France,2100000\n';

/** The worker's folder, which has the tools of the agents with tools. */
export const examples = fileURLToPath(new URL('../../examples', import.meta.url));

const corpus = join(examples, 'sample-corpus');

export const courses: Course[] = [
  {
    name: 'capital',
    start: (reprise, backend) =>
      reprise.startOrchestration({
        task: 'What is the capital of France?',
        config: team(backend, ['ada', 'ben', 'cleo'], {}),
      }),
  },
  {
    name: 'colours',
    start: (reprise, backend) =>
      reprise.startOrchestration({ task: 'Name three primary colours.', config: team(backend, ['ada', 'ben'], {}) }),
  },
  {
    name: 'team',
    start: (reprise, backend) =>
      reprise.startOrchestration({ task, config: team(backend, ['ada', 'ben', 'cleo'], {}) }),
  },
  {
    name: 'post-evaluation',
    start: (reprise, backend) =>
      reprise.startOrchestration({
        task,
        config: team(backend, ['ada', 'ben'], { enable_post_presentation_evaluation: true }),
      }),
  },
  {
    name: 'ask-others',
    start: (reprise, backend) =>
      reprise.startOrchestration({
        task: `${task} Ask the others before you answer.`,
        config: team(backend, ['ada', 'ben'], {
          broadcast: 'agents',
          broadcast_timeout: 120,
          broadcast_sensitivity: 'high',
          response_depth: 'low',
        }),
      }),
  },
  {
    name: 'simple-tool',
    start: (reprise, backend) =>
      reprise.startSession({
        text: weather,
        config: withTools(backend, { module: 'SimpleToolOrchestrator', config: { max_thoughts: 6 } }),
      }),
  },
  {
    name: 'react',
    start: (reprise, backend) =>
      reprise.startSession({
        text: weather,
        config: withTools(backend, { module: 'ReActOrchestrator', config: { max_iterations: 4 } }),
      }),
  },
  {
    name: 'research',
    start: (reprise, backend) =>
      reprise.startResearch({
        idea: 'A momentum trading strategy that switches to cash before crashes',
        config: {
          research: {
            backend,
            max_planning_iterations: 2,
            search: { provider: 'folder', folder: corpus, max_results: 2 },
          },
        },
      }),
  },
  {
    name: 'solve',
    start: (reprise, backend) =>
      reprise.startSolve({
        problem: 'How many people live in Lagos and Cairo together?',
        attachments: [{ name: 'cities.csv', data: Buffer.from(cities).toString('base64') }],
        config: {
          plan: {
            backend,
            executor: { tool_packages: ['builtin.calculator'] },
            max_retries: 1,
            max_parallel_subtasks: 2,
            max_subtasks: 6,
          },
        },
      }),
  },
];
