import type { RunEvent } from '../../protocol/events.ts';
import { researchLines } from '../research/log-lines.ts';
import { isSolving, solveLines } from '../plan-and-execute/log-lines.ts';

/** One entry of the log: `stamped` ones carry a time, the others are banners. May span lines. */
export interface LogEntry {
  text: string;
  stamped: boolean;
}

const entry = (text: string): LogEntry => ({ text, stamped: true });
const banner = (text: string): LogEntry => ({ text, stamped: false });

const details = (event: { reason?: string; instructions?: string }): string =>
  `\n   Reason: ${event.reason}\n   Instructions: ${event.instructions}`;

const startBanner = '🚀 Starting multi-agent coordination...';

/**
 * What the terminal and the log file say of an event. The phrases of MassGen's documentation
 * ("Orchestration Restart", Logs and User Visibility) stand as printed there: people search for them.
 */
export function entriesOf(event: RunEvent): LogEntry[] {
  switch (event.type) {
    case 'started':
      return [entry(`Task: ${event.task}`)];
    case 'notice':
      return [entry(event.text)];
    case 'warning':
      return [entry(`⚠️ ${event.agent === undefined ? '' : `[${event.agent}] `}${event.text}`)];
    case 'attempt': {
      const { restart } = event;
      if (restart === undefined) return [banner(startBanner)];
      return [
        banner(
          `🔄 Orchestration Restart - Attempt ${event.attempt}/${event.maxAttempts}\n\nReason: ${restart.reason}\n\n` +
            `Instructions: ${restart.instructions}\n\n---\n\n${startBanner}`,
        ),
      ];
    }
    case 'answer':
      return [entry(`💡 [${event.agent}] answer ${event.number} (${event.name})`)];
    case 'vote':
      return [entry(`🗳️ [${event.agent}] votes for ${event.for}: ${event.reason}`)];
    case 'refused':
      return [entry(`[${event.agent}] ${event.text}`)];
    case 'voting':
      return [entry(event.round === 1 ? 'Voting is open' : `New answers: voting round ${event.round}`)];
    case 'out':
      return [entry(`⚠️ [${event.agent}] is out (${event.timedOut ? 'timed out' : event.reason})`)];
    case 'selected':
      return [entry(`Final agent selected: ${event.agent}`)];
    case 'presenting':
      return [entry(`🎤 [${event.agent}] presenting final answer`)];
    case 'evaluating':
      return [
        entry('🔍 Starting post-presentation evaluation'),
        entry(`🔍 Post-presentation evaluation by ${event.agent}`),
      ];
    case 'decision':
      if (event.decision === 'submit') {
        return [
          entry(
            event.afterPresenting
              ? `✅ Post-evaluation: ${event.agent} submits`
              : `✅ Final agent ${event.agent} chose to SUBMIT`,
          ),
        ];
      }
      return [
        entry(
          (event.afterPresenting
            ? `🔄 Post-evaluation: ${event.agent} requests RESTART`
            : `🔄 Final agent ${event.agent} chose to RESTART orchestration`) + details(event),
        ),
      ];
    case 'restart':
      return [
        entry(`🔄 Handling orchestration restart (attempt ${event.from} -> ${event.to})`),
        banner(
          `\n🔄 Orchestration restart requested by ${event.by === 'person' ? 'a person' : 'final agent'}\n\nReason: ${event.reason}\n\n---\n`,
        ),
      ];
    case 'restart refused':
      return [
        entry(
          `Maximum ${event.isPlanning ? 'planning iterations reached' : 'orchestration restarts exceeded'}${event.by === 'person' ? ' (requested by a person)' : ''}: ${event.reason}`,
        ),
      ];
    case 'stopped':
      return [
        entry(
          `⏰ ${event.why === 'timeout' ? 'Time is up' : 'The budget is spent'}: the best answer so far is delivered`,
        ),
      ];
    case 'final':
      return [entry(`🏁 Done: ${event.outcome}, answer by ${event.agent}`)];
    case 'asked':
      return [entry(`📢 [${event.agent}] asks ${event.of.join(', ')}: ${event.question}`)];
    case 'responded':
      return [entry(`↩️ [${event.agent}] responds to ${event.asker}: ${event.content}`)];
    case 'ask ended':
      return event.silent.length === 0
        ? []
        : [entry(`[${event.agent}] ${event.status}: no response from ${event.silent.join(', ')}`)];
    case 'question':
      return [
        entry(`📢 ${event.from} waits for a person (question ${event.questionId}, until ${event.expiresAt})`),
      ];
    case 'question closed':
      return [
        entry(
          `📢 Question ${event.questionId}: ${event.how}${event.answer === undefined ? '' : `: ${event.answer}`}`,
        ),
      ];
    case 'answer kept':
      return [
        entry(
          `📢 ${event.questionId === undefined ? 'An answer before any question' : `A late answer to ${event.questionId}`} is kept: ${event.answer}`,
        ),
      ];
    case 'tool':
      return [entry(`🛠️ [${event.agent}] ${event.tool}`)];
    case 'tool ended':
      return event.status === 'ok' ? [] : [entry(`🛠️ [${event.agent}] ${event.tool}: ${event.status}`)];
    case 'says':
      // The answer is what the command prints.
      return event.last ? [] : [entry(`[${event.agent}] ${event.text}`)];
    case 'turn':
      return [entry(`💬 Turn ${event.turn}: ${event.text}`)];
    case 'thinking':
    case 'presented':
      return [];
    default:
      return (isSolving(event) ? solveLines(event) : researchLines(event)).map(entry);
  }
}

/** The same without emoji, for `--plain`. */
export function withoutEmoji(text: string): string {
  return text.replace(/\p{Extended_Pictographic}\uFE0F? ?/gu, '');
}
