import { z } from 'zod';
import { backendSchema, roleSchema } from './backend.ts';
import { completeBackend, defaultBackend, describeBackend, packagesOf } from './models/complete-backend.ts';
import {
  broadcastSchema,
  commonShape,
  describeCoordination,
  sessionShape,
  waitingTime,
  whole,
} from './coordination.ts';
import type { Environment } from '../util/environment.ts';
import { folderSchema, workspaceFolderSchema } from './named-folder.ts';
import { describeOrchestrator, limitsFit, limitsShape, orchestratorOf, orchestratorSchema } from './orchestrators.ts';
import { describePermissions } from './tools/permissions.ts';
import { capabilitiesOf } from './models/model-capabilities.ts';
import { inRoles, notice, type ConfigKind } from './kind.ts';
import { checkedBy, unique } from './problems.ts';
import { describeTools, toolPackages, toolPackagesSchema } from './tool-sources.ts';
import type { AgentSettings, Backend, Team } from '../protocol/settings.ts';
import { safe } from './privileges.ts';

const name = z.string().min(1);

/** How many agents a team may have: all their calls of a round leave in one message to the server, which takes 4 MB. */
const mostAgents = 200;

const agentSchema = z
  .strictObject({
    id: name.meta(safe("The agent's name in results and logs; unique.")),
    system_message: name.optional().meta(safe('Its persona: how it works and what it looks for.')),
    orchestrator: orchestratorSchema.optional().describe("The agent's loop. Absent: simple_tool."),
    ...limitsShape,
    tool_packages: toolPackagesSchema.optional().describe(toolPackages),
    backend: backendSchema.optional().describe('Its model. Absent: the first provider whose key is set, else offline.'),
  })
  .superRefine(limitsFit)
  .superRefine(({ backend, orchestrator = 'simple_tool' }, context) => {
    if (backend?.type !== 'claude_code' || orchestrator === 'simple_tool') return;
    const message = 'claude_code has a loop of its own: leave this out';
    context.addIssue({ code: 'custom', path: ['orchestrator'], message });
  });

/** How a team works together (`orchestrator.coordination`). */
const coordinationSchema = z.strictObject({
  max_orchestration_restarts: whole(0)
    .default(2)
    .meta(safe('How many restarts there may be; attempts are one more. With 0 nobody judges.')),
  enable_post_presentation_evaluation: z
    .boolean()
    .default(false)
    .meta(safe('Whether the answer is judged after it was presented, instead of before.')),
  max_new_answers_per_agent: z
    .int()
    .positive()
    .default(3)
    .meta(safe('How many answers an agent may give in one attempt.')),
  answer_novelty_requirement: z
    .enum(['lenient', 'balanced', 'strict'])
    .default('lenient')
    .meta(
      safe('Which answers are refused: duplicates, those sharing over 70% of their words, those sharing over 50%.'),
    ),
  enable_planning_mode: z
    .boolean()
    .default(false)
    .meta(safe())
    .describe(
      'Whether the agents only plan, with tools known to be harmless, until the final agent or a restart carries the plan out.',
    ),
  ...broadcastSchema.shape,
});

export const teamSchema = z.strictObject({
  agents: z
    .array(agentSchema)
    .min(1)
    .max(mostAgents)
    .superRefine(unique('id', 'agent'))
    .optional()
    .describe('Who answers and votes. Absent: a default team of three.'),
  final_agent: z
    .strictObject({
      backend: backendSchema.optional().describe("The model that presents and judges. Absent: the winner's."),
      judge: roleSchema.optional().describe('Who judges, if it is another model than that of the final agent.'),
    })
    .optional()
    .describe('Who presents and judges the answer.'),
  timeout_settings: z
    .strictObject({
      orchestrator_timeout_seconds: waitingTime.default(1800).meta(safe('Seconds that one attempt may take.')),
      agent_timeout_seconds: waitingTime
        .default(600)
        .meta(safe("Seconds that an agent's model may work in an attempt.")),
    })
    .prefault({})
    .describe('How long an attempt and an agent may take.'),
  orchestrator: z
    .strictObject({
      snapshot_storage: folderSchema
        .optional()
        .describe('A folder beside this file into which the files of all attempts are written. Absent: none.'),
      agent_temporary_workspace: workspaceFolderSchema
        .optional()
        .meta(safe("Where an agent finds the files of the others in its workspace. Absent: 'temp_workspaces'.")),
      restart_workspace: z
        .enum(['clean', 'winner'])
        .default('clean')
        .meta(safe('The files that agents have after a restart: those at the beginning, or those of the best answer.')),
      coordination: coordinationSchema.prefault({}).describe('Restarts, answers, and whom agents may ask.'),
    })
    .prefault({})
    .describe('How the team works together.'),
  ...commonShape,
  ...sessionShape,
});

export type TeamConfig = z.output<typeof teamSchema>;

/** As a file's author writes it: keys with defaults may be left out. */
export type TeamConfigInput = z.input<typeof teamSchema>;

const personas = [
  'You are brief and exact: say what was asked for in as few words as it takes.',
  'You are thorough: cover every part of the task.',
  'You are careful: check each claim, and name the source it rests on.',
  'You are sceptical: look for what speaks against the obvious answer, and for what everybody takes for granted.',
  'You are practical: say what to do first, what it takes, and what may go wrong.',
  'You are inventive: look for a way that others would not think of, and say where it is better.',
];

/** The agents of a team that names none: ways of looking at a task, in turn. @param count 1 to 26, since each has a letter */
export const defaultAgents = (count = 3): NonNullable<TeamConfig['agents']> =>
  Array.from({ length: count }, (_, index) => ({
    id: `agent_${String.fromCharCode(97 + index)}`,
    system_message: personas[index % personas.length],
  }));

/** Adds agents if there are none, and gives each its backend, its loop and its tools. */
export function completeTeam(config: TeamConfig, environment: Environment): Team {
  const fallback = defaultBackend(environment);
  const { agents = defaultAgents(), final_agent } = config;
  return {
    ...config,
    agents: agents.map(({ id, system_message, backend = fallback, ...work }) => ({
      id,
      ...(system_message !== undefined && { system_message }),
      backend: completeBackend(backend),
      orchestrator: orchestratorOf(work.orchestrator ?? 'simple_tool', work),
      tools: { packages: packagesOf(work.tool_packages ?? [], backend), mcpServers: backend.mcp_servers ?? [] },
    })),
    ...(final_agent && { final_agent: completeFinalAgent(final_agent) }),
  };
}

const completeFinalAgent = ({ backend, judge }: NonNullable<TeamConfig['final_agent']>) => ({
  ...(backend && { backend: completeBackend(backend) }),
  ...(judge && { judge: { backend: completeBackend(judge.backend) } }),
});

export function describeTeam(team: Team): string {
  const { agents, final_agent, orchestrator, timeout_settings, budget, idle_timeout } = team;
  const { coordination } = orchestrator;
  const restarts = coordination.max_orchestration_restarts;
  const mode = coordination.enable_post_presentation_evaluation ? 'after' : 'before';
  return [
    `A team of ${agents.length}:`,
    ...agents.map(describeMember),
    ...(final_agent?.backend === undefined ? [] : [`  final agent: ${describeBackend(final_agent.backend)}`]),
    ...(final_agent?.judge === undefined ? [] : [`  judge: ${describeBackend(final_agent.judge.backend)}`]),
    restarts === 0
      ? 'No restarts: nobody judges the result.'
      : `Up to ${restarts} ${restarts === 1 ? 'restart' : 'restarts'} (${restarts + 1} attempts), decided ${mode} presenting.`,
    `Up to ${coordination.max_new_answers_per_agent} answers an agent, novelty ${coordination.answer_novelty_requirement}.`,
    `Timeouts: ${timeout_settings.agent_timeout_seconds} s an agent, ${timeout_settings.orchestrator_timeout_seconds} s an attempt.`,
    ...describeCoordination(coordination, budget, idle_timeout),
    ...describePermissions(team),
  ].join('\n');
}

/** The least that an answer takes where it is shown, with what stands around it, in tokens. */
const leastAnswer = 80;

/** The share of a context that messages have, besides the reply, and what a vote needs besides the answers, in tokens. */
const share = 3 / 4;
const besides = 1000;

/** Says which models could not even be shown the beginning of each answer, so that nobody with them can vote, or judge. */
export function tooManyAnswers({ agents, final_agent }: Team): string[] {
  const judge = final_agent?.judge?.backend ?? final_agent?.backend;
  const backends = [...agents.map(({ backend }) => backend), ...(judge === undefined ? [] : [judge])];
  const needed = agents.length * leastAnswer + besides;
  const isTooSmall = (backend: Backend): boolean =>
    backend.type !== 'offline' && capabilitiesOf(backend).contextTokens * share < needed;
  const models = new Map(backends.filter(isTooSmall).map((backend) => [backend.model ?? backend.type, backend]));
  return [...models].map(
    ([model, backend]) =>
      `The context of ${model} (${capabilitiesOf(backend).contextTokens} tokens) cannot show the answers of ` +
      `${agents.length} agents, not even their beginnings: who uses it cannot vote or judge. Take fewer agents, or a model with a longer context`,
  );
}

const defaultLoop = describeOrchestrator(orchestratorOf('simple_tool'));

/** Leaves out the loop if it is the default one, and tools if there are none. */
function describeMember({ id, backend, orchestrator, tools }: AgentSettings): string {
  const sources = describeTools(tools);
  const loop = describeOrchestrator(orchestrator);
  return [
    `  ${id}: ${describeBackend(backend)}`,
    ...(loop === defaultLoop ? [] : [loop]),
    ...(sources === '' ? [] : [`tools: ${sources}`]),
  ].join('; ');
}

export const teamKind: ConfigKind<TeamConfig, Team> = {
  title: 'A team of agents',
  description: 'For `reprise ask` and `reprise chat`. Every key may be left out.',
  keys: [],
  check: (content) => checkedBy(teamSchema, content),
  complete: completeTeam,
  roles({ agents, final_agent }) {
    const { backend, judge } = final_agent ?? {};
    return {
      ...Object.fromEntries(agents.map((agent) => [`agent ${agent.id}`, agent])),
      ...(backend && { 'final agent': { backend } }),
      ...(judge && { judge }),
    };
  },
  describe: describeTeam,
  named: ({ agents = defaultAgents() }) => agents.map(({ backend }) => backend),
  inert({ agents = [], final_agent, orchestrator }) {
    const { broadcast } = orchestrator.coordination;
    const untooled = { final_agent: final_agent?.backend, judge: final_agent?.judge?.backend };
    const backends = [...agents.map(({ backend }) => backend), ...Object.values(untooled)];
    const mute = agents.filter(({ backend }) => backend?.type === 'claude_code').map(({ id }) => id);
    return [
      ...notice(backends, inRoles(untooled)),
      ...(agents.length === 1 && broadcast === 'agents' ? [askedAlone] : []),
      ...(broadcast !== false && mute.length > 0 ? [isMute(mute)] : []),
    ];
  },
};

const askedAlone =
  'broadcast: agents has nobody to ask in a team of one agent; human is the mode that has someone to ask';

const isMute = (agents: string[]): string =>
  `${agents.join(', ')}: the backend claude_code has no ask_others; such an agent neither asks nor is asked`;
