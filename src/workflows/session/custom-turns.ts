import { inStore } from '../runtime/own-store.ts';
import type { TranscriptRef } from '../../protocol/message.ts';
import type { EarlierMessage } from '../../protocol/orchestration.ts';
import type { OpenedAgent } from '../../protocol/stored.ts';
import { Agent } from '../agent/agent.ts';
import { CustomTurn, type CustomSettings } from '../custom-code/custom-turn.ts';
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
