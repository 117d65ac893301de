import type { TeamEventBody } from '../../protocol/events.ts';
import { banner, line, type LogLines } from '../runtime/log-entry.ts';

const startBanner = '🚀 Starting multi-agent coordination...';

const why = (event: { reason?: string; instructions?: string }): string =>
  `\n   Reason: ${event.reason}\n   Instructions: ${event.instructions}`;

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
  answer: ({ agent, name, number }) => [line(`💡 [${agent}] answer ${number} (${name})`)],
  vote: ({ agent, for: chosen, reason }) => [line(`🗳️ [${agent}] votes for ${chosen}: ${reason}`)],
  refused: ({ agent, text }) => [line(`[${agent}] ${text}`)],
  voting: ({ round }) => [line(round === 1 ? 'Voting is open' : `New answers: voting round ${round}`)],
  out: ({ agent, reason, timedOut }) => [line(`⚠️ [${agent}] is out (${timedOut ? 'timed out' : reason})`)],
  selected: ({ agent }) => [line(`Final agent selected: ${agent}`)],
  presenting: ({ agent }) => [line(`🎤 [${agent}] presenting final answer`)],
  presented: () => [],
  evaluating: ({ agent }) => [
    line('🔍 Starting post-presentation evaluation'),
    line(`🔍 Post-presentation evaluation by ${agent}`),
  ],
  decision: (event) => {
    const { afterPresenting, agent, decision } = event;
    if (decision === 'submit')
      return [
        line(afterPresenting ? `✅ Post-evaluation: ${agent} submits` : `✅ Final agent ${agent} chose to SUBMIT`),
      ];
    const wish = afterPresenting
      ? `🔄 Post-evaluation: ${agent} requests RESTART`
      : `🔄 Final agent ${agent} chose to RESTART orchestration`;
    return [line(wish + why(event))];
  },
  restart: ({ by, from, reason, to }) => [
    line(`🔄 Handling orchestration restart (attempt ${from} -> ${to})`),
    banner(
      `\n🔄 Orchestration restart requested by ${by === 'person' ? 'a person' : 'final agent'}\n\nReason: ${reason}\n\n---\n`,
    ),
  ],
};
