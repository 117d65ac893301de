import type { RunSnapshot } from '../../client.ts';
import { placeParts } from '../../client/show/progress.ts';
import { countText, dollarText, numberText } from '../../client/show/spent.ts';
import type { RunEvent } from '../../protocol/events.ts';
import type { State } from '../../protocol/state.ts';
import type { RunLimits } from '../../protocol/usage.ts';
import { durationText } from '../../workflows/runtime/duration.ts';

/** With these events the clock of an attempt stops, since a person is waited for, and with those it goes on. */
const stops: string[] = ['question', 'key_missing'];
const resumes: string[] = ['question_closed', 'key_closed'];

/** How far a run has come and what is left of its limits, for one line. It goes by events where the state does not say. */
export class Progress {
  #startedAt: number | undefined;
  #attemptAt: number | undefined;
  /** Milliseconds of this attempt in which a person was waited for. */
  #waited = 0;
  #waitingSince = 0;
  readonly #questions = new Set<string>();
  #searched = 0;

  see(events: RunEvent[]): void {
    for (const event of events) {
      const at = Date.parse(event.at);
      this.#startedAt ??= at;
      if (event.type === 'attempt') {
        this.#attemptAt = at;
        this.#waited = 0;
      }
      if ('questionId' in event) this.#seeQuestion(event, at);
      if (event.type === 'plan' || event.type === 'criticism') this.#searched = 0;
      if (event.type === 'searched' || event.type === 'gap') this.#searched += 1;
    }
  }

  #seeQuestion({ questionId = '', type }: Extract<RunEvent, { questionId?: string }>, at: number): void {
    if (stops.includes(type)) {
      if (this.#questions.size === 0) this.#waitingSince = at;
      this.#questions.add(questionId);
    } else if (resumes.includes(type) && this.#questions.delete(questionId) && this.#questions.size === 0) {
      this.#waited += at - Math.max(this.#waitingSince, this.#attemptAt ?? 0);
    }
  }

  /** `attempt 2/3: voting`, `1 of 3 votes`, `42 s of 30 min`, `9 calls`, `1,951 tokens`, `$0.0042 of $0.50`. */
  partsOf({ calls, state }: Pick<RunSnapshot, 'calls' | 'state'>, now: number): string[] {
    if (state === undefined) return [];
    return [...placeParts(state, calls, this.#searched), ...this.#timeParts(state, now), ...spentParts(state)];
  }

  /** The time so far, and the limit that will be reached first. */
  #timeParts({ limits, ...state }: State, now: number): string[] {
    const elapsed = now - (this.#startedAt ?? now);
    const ofRun = { spent: now - (limits?.startedAt ?? now), limit: limits?.seconds };
    const waits = this.#questions.size === 0 ? 0 : now - Math.max(this.#waitingSince, this.#attemptAt ?? 0);
    const ofAttempt = { spent: now - (this.#attemptAt ?? now) - this.#waited - waits, limit: limits?.attemptSeconds };
    const isUnderWay = this.#attemptAt !== undefined && !['idle', 'done'].includes(state.phase);
    const clocks = [ofRun, ...(isUnderWay ? [ofAttempt] : [])].flatMap(({ limit, spent }) =>
      limit === undefined ? [] : [{ spent, limit: limit * 1000 }],
    );
    const [next] = clocks.toSorted((one, other) => one.limit - one.spent - (other.limit - other.spent));
    if (next === undefined) return [durationText(elapsed)];
    const isAll = Math.abs(next.spent - elapsed) < 2000;
    return [
      `${durationText(next.spent)} of ${durationText(next.limit)}`,
      ...(isAll ? [] : [`${durationText(elapsed)} in all`]),
    ];
  }
}

function spentParts({ limits, usage }: State): string[] {
  if (usage === null) return [];
  const { calls, costUsd, estimated, inputTokens, outputTokens } = usage;
  const about = estimated ? 'about ' : '';
  const tokens = inputTokens + outputTokens;
  return [
    limits?.calls === undefined ? countText(calls, 'call') : `${calls} of ${countText(limits.calls, 'call')}`,
    limits?.tokens === undefined
      ? `${about}${countText(tokens, 'token')}`
      : `${about}${numberText(tokens, 0)} of ${countText(limits.tokens, 'token')}`,
    `${dollarText(costUsd)}${limits?.usd === undefined ? '' : ` of ${limitText(limits)}`}`,
  ];
}

const limitText = ({ usd = 0 }: RunLimits): string =>
  Number.isInteger(usd * 100) ? `$${usd.toFixed(2)}` : dollarText(usd);
