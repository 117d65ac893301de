import { proxyLocalActivities } from '@temporalio/workflow';
import type { Activities } from '../activities/activities.ts';
import { Ledger } from '../agents/ledger.ts';
import { ModelCaller } from '../agents/model-caller.ts';
import { storeTexts, storeToolSets } from '../agents/stored-texts.ts';
import type { NewMessage, Text } from '../messages/message.ts';
import type { OrchestrationInput, PreparedOrchestration } from '../messages/orchestration.ts';
import { coordinationTools, decisionTools } from '../prompts/tools.ts';
import { anonymousName } from '../rules/ballot.ts';
import type { EventLog } from './event-log.ts';
import type { Run } from './run.ts';
import type { Seat } from './team.ts';

const { prepareOrchestration } = proxyLocalActivities<Activities>({
  startToCloseTimeout: '30 seconds',
  retry: { maximumAttempts: 5 },
});

/** Checks the input, fills in the configuration, and puts what every prompt repeats into the store. */
export async function openRun(input: OrchestrationInput, events: EventLog): Promise<Run> {
  const prepared = await prepareOrchestration(input);
  const { agents, budget, orchestrator } = prepared.team;
  const names = agents.map((_, index) => anonymousName(index));
  const [coordination = '', decision = ''] = await storeToolSets([coordinationTools(names), decisionTools]);
  const [task = '', ...said] = await storeTexts([
    prepared.task,
    ...prepared.history.map(({ content }) => content),
  ]);
  const personas = await storeTexts(agents.map((agent) => agent.system_message ?? ''));
  const seats = agents.map((agent, index): Seat => ({
    id: agent.id,
    name: anonymousName(index),
    persona: agent.system_message === undefined ? undefined : personas[index],
    backend: agent.backend,
    timedOut: false,
  }));
  announce(events, prepared, seats);
  const ledger = new Ledger(budget, prepared.prices);
  const caller = new ModelCaller(ledger, ({ agent, purpose, activityId, model }) =>
    events.emit({ type: 'thinking', agent, purpose: purpose.what, activityId, model }),
  );
  return {
    prepared,
    coordination: orchestrator.coordination,
    maxAttempts: orchestrator.coordination.max_orchestration_restarts + 1,
    seats,
    events,
    ledger,
    caller,
    task,
    history: historyMessages(prepared, said),
    toolSets: { coordination, decision },
    restarts: [],
    best: undefined,
    attempt: undefined,
  };
}

function announce(events: EventLog, { task, notices }: PreparedOrchestration, seats: Seat[]): void {
  const [firstLine = ''] = task.trim().split('\n');
  events.emit({ type: 'started', task: firstLine, agents: seats.map(({ id }) => id) });
  for (const text of notices) events.emit({ type: 'notice', text });
}

function historyMessages({ history }: PreparedOrchestration, contents: Text[]): NewMessage[] {
  return history.map(({ role, content }, index) => ({ role, content: contents[index] ?? content }));
}
