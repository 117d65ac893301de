import { createHash } from 'node:crypto';
import { startModelServer, type Seen } from '../../test/support/model-server.ts';
import { answer, teamScript, vote, type Asked, type TeamRequest } from '../../test/support/team-script.ts';

/** A model that containers reach, which counts what is asked of it and can be made to keep replies back. */
export interface CountingModel {
  /** Base URL for OpenAI's SDK. */
  url: string;
  /** Keeps back all replies of a kind from now on, until `release` is called. */
  hold(kind: Asked): void;
  release(): void;
  /** How many replies are kept back now. */
  held(): number;
  /** How many calls there were, each counted once however often it was made. */
  calls(): number;
  /** How many requests were given up before they were answered, as by a worker that has died. */
  givenUp(): number;
  /** The calls that got more than one whole reply, in words. */
  paidTwice(): string[];
  close(): Promise<void>;
}

/** @param host an address of this machine that containers reach */
export async function startCountingModel(host: string): Promise<CountingModel> {
  let gate: { kind: Asked; opened: Promise<void>; open: () => void } | undefined;
  const waiting = new Set<TeamRequest>();
  const gated =
    <T>(say: (request: TeamRequest) => T) =>
    async (request: TeamRequest): Promise<T> => {
      if (gate?.kind === request.asked) {
        waiting.add(request);
        await gate.opened;
        waiting.delete(request);
      }
      return say(request);
    };
  const script = teamScript({
    answer: gated(({ agent }) => answer(`Answer of ${agent}.`)),
    vote: gated(() => vote('agent1')),
    present: gated(({ agent }) => ({ text: `The final answer, by ${agent}.` })),
  });
  const server = await startModelServer(script, { host });
  const byCall = (): Map<string, Seen[]> => Map.groupBy(server.requests, callOf);
  return {
    url: server.openai,
    hold(kind) {
      const { promise, resolve } = Promise.withResolvers<void>();
      gate = { kind, opened: promise, open: resolve };
    },
    release() {
      gate?.open();
      gate = undefined;
    },
    held: () =>
      server.requests.filter((seen) => !seen.aborted && [...waiting].some(({ index }) => index === seen.index)).length,
    calls: () => byCall().size,
    givenUp: () => server.requests.filter(({ aborted }) => aborted).length,
    paidTwice: () =>
      [...byCall()].flatMap(([call, made]) => {
        const whole = made.filter(({ answered }) => answered).length;
        return whole > 1 ? [`${call}: ${whole} replies`] : [];
      }),
    close: () => server.close(),
  };
}

/** Tells a call by what it says, which has the run's task and the agent's persona, however often it is made. */
function callOf({ messages, prompt }: Seen): string {
  const texts = messages.map(({ calls, role, text }) => [role, text, calls]);
  const hash = createHash('sha256').update(JSON.stringify(texts)).digest('hex').slice(0, 12);
  return `${/I am (\S+)\./.exec(prompt)?.[1] ?? 'somebody'} after ${messages.length} messages, ${hash}`;
}
