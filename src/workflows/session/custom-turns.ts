import { CancellationScope } from '@temporalio/workflow';
import { inStore } from '../runtime/own-store.ts';
import type { TranscriptRef } from '../../protocol/message.ts';
import type { EarlierMessage, Outcome } from '../../protocol/orchestration.ts';
import type { OpenedAgent, OpenedTeam } from '../../protocol/stored.ts';
import { Agent } from '../agent/agent.ts';
import { type CustomSettings, CustomTurn } from '../custom-code/custom-turn.ts';
import { loadHandleText } from '../custom-code/load.ts';
import type { RunHandlers } from '../runtime/run-handlers.ts';
import {
  callTimeout,
  openAgentSession,
  runTurn,
  sessionFiles,
  type SessionRecord,
  type TurnHandler,
} from './turn-handler.ts';
import type { SessionResult } from '../../protocol/session.ts';
import { storeTexts } from '../agent/text-refs.ts';
import { newTask, openTeam } from '../orchestration/team.ts';
import { answerTask } from '../orchestration/workflow.ts';

/** Time for a turn when the budget has no `seconds`, in milliseconds. */
const turnTimeout = 1_800_000;

/**
 * How much longer a turn may take than its budget, in milliseconds: a model's call ends with the budget, and the turn is then one
 * whose budget is spent, and not one whose file has not come to an end.
 */
const grace = 2000;

/** Its turns are told what was said in earlier ones. @throws `ApplicationFailure` when this worker cannot run the file */
export async function openCustomTurns(
  prepared: OpenedAgent,
  settings: CustomSettings,
  before: TranscriptRef | null,
  handlers: RunHandlers,
  earlier: SessionRecord | undefined,
): Promise<TurnHandler<TranscriptRef | null>> {
  const handleText = await loadHandleText(settings.module);
  const session = await openAgentSession(prepared, handlers, earlier);
  let said = before;
  const history = said === null ? [] : await inStore.readMessages(said);
  const { run, tools } = session;
  const { backend, budget, id } = prepared.agent;
  const limit = budget?.seconds === undefined ? turnTimeout : budget.seconds * 1000;
  const persona = { id, text: undefined, backend };
  return {
    run,
    said: () => said,
    files: () => sessionFiles(session),
    take(text, turn) {
      return runTurn(session, turn, (say, messages) => {
        // Only agents ask a person. This one has an empty conversation, since the file keeps its own conversations.
        const asking = new Agent(persona, run.models, { system: '', tools: null, transcript: null, messages: [] });
        const asker = { id, agent: asking, conversation: id, asking: 0 };
        const when = `turn ${turn}`;
        const custom = new CustomTurn(run, { settings, persona, tools, asker, say, history, when, callTimeout });
        session.transcript = () => custom.transcript;
        const shown = (answer: string): string => {
          if (messages.at(-1) !== answer) say(answer, true);
          return answer;
        };
        return {
          async answer() {
            const answer = shown(await custom.run(handleText, text, limit, grace));
            return { answer, outcome: custom.isCut(answer) ? 'limit' : 'answered' };
          },
          stopped: (none) => shown(custom.lastSaid ?? (custom.lastWords || none)),
          keep: async (answer) => {
            const exchanged: EarlierMessage[] = [
              { role: 'user', content: text },
              { role: 'assistant', content: answer },
            ];
            said = await inStore.putMessages(said, exchanged);
            history.push(...exchanged);
          },
        };
      });
    },
  };
}

const outcomes: Record<Outcome, SessionResult['outcome']> = {
  submitted: 'answered',
  degraded: 'answered',
  restart_limit: 'limit',
  timeout: 'limit',
  budget: 'budget',
  cancelled: 'cancelled',
};

/** Opens turns with a team. Each turn is an orchestration that is told what was said before. */
export async function openTeamTurns(
  prepared: OpenedTeam,
  before: TranscriptRef | null,
  handlers: RunHandlers,
  earlier: SessionRecord | undefined,
): Promise<TurnHandler<TranscriptRef | null>> {
  const run = await openTeam(prepared, handlers, { ...earlier?.run, ...(earlier && { files: earlier.files }) });
  let said = before;
  return {
    run,
    said: () => said,
    files: () =>
      Object.fromEntries(run.agents.flatMap(({ id, start }) => (start === undefined ? [] : [[id, start] as const]))),
    async take(text, turn) {
      const earlierSaid = said;
      // The conversations of the turns before are over.
      run.questions.record.shown = {};
      // In a cancelled session too, a turn has a result, which the conversation holds.
      const [stored = text] = await CancellationScope.nonCancellable(() => storeTexts([text]));
      const task = newTask(text, [], { task: stored, history: [] });
      const { answer, outcome, workspace } = await answerTask(run, {
        ...task,
        conversation: earlierSaid,
        plain: { task: text, history: async () => (earlierSaid === null ? [] : inStore.readMessages(earlierSaid)) },
        turn,
      });
      said = await CancellationScope.nonCancellable(() =>
        inStore.putMessages(earlierSaid, [
          { role: 'user', content: task.task },
          { role: 'assistant', content: answer },
        ]),
      );
      // All agents go on with the files of the answer.
      if (workspace !== undefined)
        for (const agent of run.agents) if (agent.start !== undefined) agent.start = workspace.tree;
      return { answer, messages: [answer], outcome: outcomes[outcome], ...(workspace && { workspace }) };
    },
  };
}
