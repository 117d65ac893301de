import type { TeamEventBody } from '../../protocol/events.ts';
import { banner, line, type LogLines } from '../runtime/log-entry.ts';

const startBanner = '🚀 Starting multi-agent coordination...';

const why = (event: { reason?: string; instructions?: string }): string =>
  `\n   Reason: ${event.reason}\n   Instructions: ${event.instructions}`;

const ofAttempt = (from: number | undefined): string =>
  from === undefined ? '' : ` with its answer of attempt ${from}`;

/** The phrases are those of MassGen's documentation "Orchestration Restart", Logs and User Visibility. */
export const teamLines: LogLines<TeamEventBody> = {
  attempt: ({ attempt, maxAttempts, restart }) => [
    banner(
      restart === undefined
        ? startBanner
        : `🔄 Orchestration Restart - Attempt ${attempt}/${maxAttempts}\n\nReason: ${restart.reason}\n\n` +
            `Instructions: ${restart.instructions}\n\n---\n\n${startBanner}`,
    ),
  ],
  answer: ({ agent, fromProse, name, number }) =>
    `💡 [${agent}] answer ${number} (${name})${fromProse ? ', taken from its text' : ''}`,
  vote: ({ agent, for: chosen, from, reason }) => `🗳️ [${agent}] votes for ${chosen}${ofAttempt(from)}: ${reason}`,
  no_vote: ({ agent }) => `[${agent}] gives no vote: its replies are texts`,
  refused: ({ agent, text }) => `[${agent}] ${text}`,
  voting: ({ round }) => (round === 1 ? 'Voting is open' : `New answers: voting round ${round}`),
  out: ({ agent, reason, timedOut }) => `⚠️ [${agent}] is out (${timedOut ? 'timed out' : reason})`,
  selected: ({ agent, from }) => `Final agent selected: ${agent}${ofAttempt(from)}`,
  kept: ({ agent, from }) => `The earlier answer is better, and is kept: ${agent}${ofAttempt(from)}`,
  presenting: ({ agent }) => `🎤 [${agent}] presenting final answer`,
  presented: () => [],
  evaluating: ({ agent }) => [
    line('🔍 Starting post-presentation evaluation'),
    line(`🔍 Post-presentation evaluation by ${agent}`),
  ],
  decision: (event) => {
    const { afterPresenting, agent, decision, isDefault } = event;
    // Nobody has chosen, and the warning has said so.
    if (isDefault) return [];
    if (decision === 'submit')
      return afterPresenting ? `✅ Post-evaluation: ${agent} submits` : `✅ Final agent ${agent} chose to SUBMIT`;
    const wish = afterPresenting
      ? `🔄 Post-evaluation: ${agent} requests RESTART`
      : `🔄 Final agent ${agent} chose to RESTART orchestration`;
    return wish + why(event);
  },
  restart: ({ by, from, reason, to }) => [
    line(`🔄 Handling orchestration restart (attempt ${from} -> ${to})`),
    banner(
      `\n🔄 Orchestration restart requested by ${by === 'person' ? 'a person' : 'final agent'}\n\nReason: ${reason}\n\n---\n`,
    ),
  ],
};
