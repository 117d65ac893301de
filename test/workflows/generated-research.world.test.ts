import { expect, test } from 'vitest';
import { GeneratedResearch } from '../support/generated-research.ts';
import { running } from '../support/running.ts';
import { startSearchServer } from '../support/search-server.ts';

// `node bench/critics.ts` does the same with ten thousand.
test(
  'whatever critic, planner, writer and person do: at most so many plans, always an end, never an empty report',
  { timeout: 600_000 },
  async () => {
    const generated = new GeneratedResearch(20260118);
    const service = await startSearchServer(generated.find);
    await using run = await running(generated.script, { SEARXNG_URL: service.url });
    let number = 0;
    const runOn = async (): Promise<void> => {
      while (generated.criticisms < 45) await generated.run(run.client, run.taskQueue, number++);
    };
    await Promise.all(Array.from({ length: 10 }, runOn));
    expect([...generated.ends.keys()]).toEqual(
      expect.arrayContaining(['viable', 'degraded', 'iteration_limit', 'no_material', 'stopped']),
    );
    await service.close();
  },
);
