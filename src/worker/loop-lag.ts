import { monitorEventLoopDelay } from 'node:perf_hooks';

/** From how long a hold-up on it is worth a word, in milliseconds: heartbeats, live text and cancellations are late then. */
const worthSaying = 500;

const sayEveryMs = 60_000;

/**
 * Says at most once a minute that something holds up the process, such as a tool that computes without a pause.
 *
 * @returns a function that ends it
 */
export function watchLoopLag(warn: (text: string) => void): () => void {
  const delays = monitorEventLoopDelay({ resolution: 20 });
  delays.enable();
  let saidAt = -Infinity;
  const look = (): void => {
    const longest = delays.max / 1e6;
    if (longest < worthSaying || performance.now() - saidAt < sayEveryMs) return;
    const usual = delays.percentile(99) / 1e6;
    warn(
      `This worker was held up for ${Math.round(longest)} ms, and so were all runs on it (99% of the time: at most ` +
        `${Math.round(usual)} ms). A tool that computes without a pause does that, and so does a machine with too much to do`,
    );
    saidAt = performance.now();
    delays.reset();
  };
  const timer = setInterval(look, 1000).unref();
  return () => {
    clearInterval(timer);
    delays.disable();
  };
}
