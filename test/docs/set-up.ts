import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import type { OrchestrationInput, Reprise, ResearchInput, SessionInput } from '../../src/client.ts';
import { call, toolResults } from '../support/agent-script.ts';
import { completeAs } from '../support/completed.ts';
import { startModelServer } from '../support/model-server.ts';
import { orchestrationResult, researchResult, solveResult } from '../support/results.ts';
import { completed, failed, invalid, solveScript, subtasks, valid } from '../support/solve-script.ts';
import { answer, restart, submit, teamScript } from '../support/team-script.ts';
import { readPage } from './blocks.ts';
import type { PageFolder, PageSetUp, StepSetUp } from './page-folder.ts';

/** A team that needs no key. */
const team = `agents:
  - { id: agent_a, backend: { type: offline } }
  - { id: agent_b, backend: { type: offline } }
`;

const offline = { type: 'offline' } as const;

/** A team of which one agent asks a person first. */
const asking: OrchestrationInput = {
  task: 'Build a site',
  config: {
    agents: [
      { id: 'agent_a', system_message: 'Ask a person first: "What color theme?"', backend: offline },
      { id: 'agent_b', backend: offline },
    ],
    orchestrator: { coordination: { broadcast: 'human' } },
  },
};

/** Research that finds what it needs, and then waits for an approval. */
const approving: ResearchInput = {
  idea: 'momentum trading strategy',
  config: {
    research: {
      backend: offline,
      search: { provider: 'folder', folder: 'examples/sample-corpus' },
      max_similar_implementations: 100,
      approval: true,
    },
  },
};

/** An agent that needs no key. */
const agent = `modules:
  - { id: llm, module: OfflineLLM }
  - { id: orchestrator, module: SimpleToolOrchestrator }
exchange:
  - { module: orchestrator, protocol: LLMProtocol, provider: llm }
  - { module: __entry__, protocol: TextMessageHandlerProtocol, provider: orchestrator }
`;

const weather = readFileSync(new URL('../../examples/tools/weather.ts', import.meta.url), 'utf8');

const plan = 'plan: { backend: { type: offline } }\n';

const towns = 'town,inhabitants 1990,inhabitants 2020\nAden,1000,1500\nBrill,2000,2100\n';

/** Has a team's run of this id wait for a person, where none does. */
const question = (id: string) =>
  waiting(id, {
    start: (reprise) => reprise.startOrchestration(asking, { id }),
    waits: async (reprise) => (await reprise.getRun(id).pendingQuestions()).length > 0,
  });

/** Has a research run of this id wait for an approval, where none does. */
const approval = (id: string) =>
  waiting(id, {
    start: (reprise) => reprise.startResearch(approving, { id }),
    async waits(reprise) {
      const state = await reprise.getRun(id).state();
      return 'phase' in state && state.phase === 'waiting_for_approval';
    },
  });

/** Starts a run where it has not come to wait, and waits until it does. */
const waiting =
  (
    id: string,
    { start, waits }: { start: (reprise: Reprise) => Promise<unknown>; waits: (reprise: Reprise) => Promise<boolean> },
  ) =>
  async (folder: PageFolder): Promise<void> => {
    const comesToWait = async (reprise: Reprise): Promise<boolean> => {
      // No event tells.
      for (let tries = 0; tries < 200 && (await reprise.getRun(id).isOpen()); tries += 1, await pause(50))
        if (await waits(reprise)) return true;
      return false;
    };
    folder.owns(id);
    await folder.up();
    await folder.withClient(async (reprise) => {
      if (await comesToWait(reprise).catch(() => false)) return;
      await start(reprise);
      if (!(await comesToWait(reprise))) throw new Error(`the run ${id} does not come to wait`);
    });
  };

/** Has a session of this id wait for approval to call a tool. */
const leave =
  (id: string) =>
  (folder: PageFolder): Promise<void> => {
    const config: SessionInput['config'] = {
      permissions: [{ tool: 'get_weather', action: 'ask' }],
      modules: [
        { id: 'llm', module: 'OfflineLLM' },
        { id: 'kit', module: 'PythonToolProvider', config: { tool_packages: ['tools.weather'] } },
        { id: 'agent', module: 'SimpleToolOrchestrator' },
      ],
      exchange: [
        { module: 'agent', protocol: 'LLMProtocol', provider: 'llm' },
        { module: 'agent', protocol: 'ToolProviderProtocol', provider: 'kit' },
        { module: '__entry__', protocol: 'TextMessageHandlerProtocol', provider: 'agent' },
      ],
    };
    return folder.withClient(async (reprise) => {
      // What was answered before may still go on.
      await reprise
        .getRun(id)
        .terminate('The next line begins')
        .catch(() => {});
      const run = await reprise.startSession({ text: 'What is the weather in Tokyo?', config }, { id });
      // No event tells.
      while ((await run.isOpen()) && (await run.pendingQuestions()).length === 0) await pause(50);
      if (!(await run.isOpen())) throw new Error(`The run ${id} has ended without asking for approval`);
    });
  };

/** Has the server forget all runs, so that a command that shows all of them shows what is made next. */
const emptied = (folder: PageFolder): Promise<void> =>
  folder.withClient(async ({ client }) => {
    const { namespace } = client.options;
    while ((await client.workflow.count()).count > 0) {
      for await (const { runId, workflowId } of client.workflow.list())
        await client.workflowService
          .deleteWorkflowExecution({ namespace, workflowExecution: { workflowId, runId } })
          // It may be gone before the list says so.
          .catch(() => {});
      await pause(100);
    }
  });

/** Has twelve orchestrations, nine research runs and seven plans that have completed, some of them with restarts. */
async function completedRuns(folder: PageFolder): Promise<void> {
  await emptied(folder);
  const orchestrations = [
    ...Array.from({ length: 8 }, () => orchestrationResult({ calls: 8 })),
    ...Array.from({ length: 3 }, () => orchestrationResult({ attempts: 2, calls: 14 })),
    orchestrationResult({ attempts: 3, calls: 20, outcome: 'restart_limit' }),
  ];
  const researchRuns = [
    ...Array.from({ length: 3 }, () => researchResult([[72]])),
    researchResult([[40, 'viability'], [70]]),
    researchResult([[45, 'viability'], [75]]),
    researchResult([[null, 'prior_art'], [50, 'viability'], [80]]),
    researchResult([[null, 'prior_art'], [40, 'viability'], [66]]),
    researchResult([[null, 'prior_art'], [45, 'viability'], [70]]),
    researchResult([[50, 'viability'], [35]], 'iteration_limit'),
  ];
  // Two of the iterations that came after a restart have called their model five times, and not four.
  for (const { iterations } of researchRuns.slice(3, 5)) iterations[1]!.spent.calls = 5;
  const atOnce = (count: number) => Array.from({ length: count }, () => ({ executions: 1, completedIn: 1 }));
  const again = { executions: 2, completedIn: 2 };
  const plans = [
    ...Array.from({ length: 4 }, () => solveResult({})),
    solveResult({ retries: 1, subtasks: [...atOnce(5), again, again] }),
    solveResult({ retries: 1, subtasks: [...atOnce(4), again, again, again] }),
    solveResult({ outcome: 'partial', retries: 2, subtasks: [...atOnce(4), { executions: 3 }] }),
  ];
  await folder.withClient(async (reprise) => {
    const runs = [...orchestrations, ...researchRuns, ...plans];
    for (const [index, result] of runs.entries()) await completeAs(reprise, result.workflow, `done-${index}`, result);
    // Visibility lists a run some time after its end.
    while ((await reprise.client.workflow.count('ExecutionStatus = "Completed"')).count < runs.length) await pause(100);
  });
}

/** Has a plan of which two subtasks fail and are retried run, and one that lacks something although none fails. */
async function failingPlan(folder: PageFolder): Promise<void> {
  const failing = ['step_2', 'step_3'];
  const model = await startModelServer(
    solveScript({
      plan: ({ time }) =>
        time === 1
          ? subtasks('step_1', { id: 'step_2', description: 'Navigate to arXiv and find paper' }, 'step_3')
          : subtasks(`more_${time}`),
      work: ({ id, time }) =>
        failing.includes(id) && time === 1 ? failed('The server is away.') : completed('Found.'),
      validate: ({ time }) => (time <= 2 ? invalid('The year.') : valid),
    }),
  );
  const backend = `{ type: chatcompletion, model: scripted, base_url: '${model.openai}' }`;
  folder.write('failing.yaml', `plan: { backend: ${backend} }\n`);
  await done(folder, 'reprise solve "Which figure?" --config ./failing.yaml');
  await model.close();
}

/** A team whose first attempt only plans, over files. */
const loginTeam = teamScript({
  answer: (request) => {
    const given = toolResults(request).filter((text) => text !== 'Recorded.').length;
    if (request.attempt === 1) return answer('I would change app.py.');
    const steps = [
      call('write_file', { path: 'login.py', content: 'def check():\n    input("password: ")\n' }),
      call('edit_file', { path: 'app.py', old_text: 'print', new_text: 'import login\nlogin.check()\nprint' }),
    ];
    const isWinner = request.prompt.includes('You check each change.');
    return (isWinner ? steps[given] : undefined) ?? answer(isWinner ? 'app.py asks now.' : 'I have changed nothing.');
  },
  decide: ({ attempt }) =>
    attempt === 1
      ? restart(
          "Agents only planned but didn't execute implementation",
          'Please actually implement the changes by modifying the files.',
        )
      : submit(),
  present: () => ({ text: 'app.py asks for a password now, by the function in login.py.' }),
});

/** Has the page's team talk to a scripted model. */
async function scriptedTeam(folder: PageFolder): Promise<void> {
  const model = await startModelServer(loginTeam);
  closings.push(() => model.close());
  const backend = `type: chatcompletion, base_url: '${model.openai}'`;
  const scripted = folder.read('team.yaml').replaceAll('type: openai', backend).replaceAll('gpt-6-luna', 'scripted');
  folder.write('team.yaml', scripted);
}

const closings: Array<() => Promise<void>> = [];

/** Ends the models that were started for a page. */
const closeModels = async (): Promise<void> => {
  for (const close of closings.splice(0)) await close();
};

function holds(folder: PageFolder, file: string, lines: string[]): void {
  const text = folder.read(file);
  for (const line of lines) if (!text.includes(line)) throw new Error(`${file} does not hold "${line}":\n${text}`);
}

/** The lines of the page's block that begins like this. */
const linesOf = (page: string, beginning: string): string[] =>
  readPage(page)
    .find(({ text }) => text.startsWith(beginning))
    ?.text.split('\n') ?? [];

const requestRestart = (id: string, input: string): string =>
  `temporal workflow signal --workflow-id ${id} --name requestRestart --input '${input}'`;

const decide = (input: string): string => `temporal workflow signal --workflow-id r1 --name decide --input '${input}'`;

async function done(folder: PageFolder, command: string): Promise<void> {
  const { status, output } = await folder.run(command);
  if (status !== 0) throw new Error(`${command} has ended with ${status}:\n${output}`);
}

/** Commands that go on until they are interrupted, on any page. */
export const endless: Record<string, StepSetUp> = {
  'reprise up': { until: /Ready/ },
  'npx reprise up': { until: /Ready/ },
  'npx reprise serve': { until: /Ctrl-C ends it/ },
  'npx reprise serve &': { until: /Ctrl-C ends it/, stays: true },
};

export const setUps: Record<string, PageSetUp> = {
  'README.md': {
    // The session of `leave` may come to the worker of this folder, or to that of the examples.
    files: { 'team.yaml': team, 'towns.csv': towns, 'tools/weather.ts': weather },
    steps: {
      'npx reprise restart q1 --reason "Only plans" --instructions "Write the code"': { before: question('q1') },
      'npx reprise cancel q1': { before: question('q1') },
      'npx reprise answer q1 "Dark mode"': { before: question('q1') },
      'npx reprise approve q1 --allow': { before: leave('q1') },
      'npx reprise decide r1 --accept': { before: approval('r1') },
      [requestRestart('q1', '{"reason":"…","instructions":"…"}')]: { before: question('q1') },
      [`temporal workflow signal --workflow-id q1 --name answer --input '{"answer":"Dark mode"}'`]: {
        before: question('q1'),
      },
    },
  },
  'docs/agents.md': {
    files: { 'agent.yaml': agent },
    steps: {
      'npx reprise chat --config examples/agent-offline.yaml': { types: 'What is the weather in Tokyo?\n/exit\n' },
    },
  },
  'docs/command-line.md': {
    steps: {
      'reprise inbox': {
        before: async (folder) => {
          await question('site')(folder);
          await approval('r1')(folder);
        },
      },
      'reprise cancel q1': { before: question('q1') },
      [`reprise inbox --watch --notify 'notify-send "$REPRISE_FROM asks" "$REPRISE_QUESTION"'`]: {
        before: question('site'),
        until: /notify-send agent_a asks What color theme/,
      },
      'reprise stats': { before: completedRuns },
    },
  },
  'docs/first-hour.md': { steps: { 'npx reprise inbox': { before: question('lock') } } },
  'docs/library.md': { up: true },
  'docs/research.md': {
    steps: {
      'npx reprise restart r1 --reason "Too broad" --instructions "Only bonds"': { before: approval('r1') },
      'npx reprise decide r1 --accept': { before: approval('r1') },
    },
  },
  'docs/solving.md': {
    files: { 'towns.csv': towns, 'plan.yaml': plan },
    copies: { 'report.pdf': 'examples/solve/files/ferry.pdf', 'figure.png': 'examples/solve/files/shapes.png' },
    steps: {
      'grep "Retrying failed subtask" .reprise/logs/log.txt': {
        before: failingPlan,
        after: (folder) => holds(folder, '.reprise/logs/log.txt', linesOf('docs/solving.md', 'Found 2 failed')),
      },
    },
  },
  'docs/workspaces.md': {
    files: { 'shop/app.py': 'print("shop")\n' },
    steps: {
      'npx reprise ask --config team.yaml --id login --out shop-with-login "Add a login to app.py"': {
        before: scriptedTeam,
        after: closeModels,
      },
    },
  },
  'docs/temporal.md': {
    up: true,
    steps: {
      [requestRestart('q1', '{"reason":"Only plans","instructions":"Write the code"}')]: { before: question('q1') },
      [`temporal workflow signal --workflow-id q1 --name answer --input '{"answer":"Dark mode"}'`]: {
        before: question('q1'),
      },
      [requestRestart('r1', '{"reason":"Too broad","instructions":"Only the old town"}')]: { before: approval('r1') },
      [decide('{"action":"accept","note":"Good enough"}')]: { before: approval('r1') },
      [decide('{"action":"stop"}')]: { before: approval('r1') },
      'npx reprise up': { until: /Ready/, stays: true },
      'npm run example examples/own-worker/worker.ts': { until: /Ready/, stays: true },
    },
  },
};
