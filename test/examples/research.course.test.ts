import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { checkResearch } from '../../src/config/kinds.ts';
import { readConfigFile } from '../../src/config/read-config.ts';
import type { RunEvent } from '../../src/protocol/events.ts';
import type { ResearchResult } from '../../src/protocol/research.ts';
import { running } from '../support/running.ts';

const file = fileURLToPath(new URL('../../examples/research.yaml', import.meta.url));

test('research: too many notes are about the idea, so it plans anew and reports; a second run learns from the first', async () => {
  const read = readConfigFile(file, checkResearch);
  if (!read.ok) throw new Error(read.problems.join('\n'));
  const idea = /^# .*"(.*)"$/m.exec(readFileSync(file, 'utf8'))?.[1] ?? '';
  await using run = await running(() => ({}), { OPENAI_API_KEY: '', ANTHROPIC_API_KEY: '' });

  const first = await run.research({ idea, config: read.config });
  expect(first).toMatchObject({
    outcome: 'viable',
    warnings: [],
    gaps: [],
    iterations: [
      { iteration: 1, idea, similar: 4, restartKind: 'prior_art', score: null },
      { iteration: 2, similar: 0, restartKind: null, verdict: 'Moderate concerns' },
    ],
  });
  expect(first.iterations[1]?.idea).toMatch(/^momentum trading strategy, and also: .+ data/);
  const addresses = first.report.sources.map(({ url }) => url);
  expect(addresses.length).toBeGreaterThan(3);
  for (const address of addresses) expect(address).toMatch(/^[a-z-]+\.md:\d+$/);

  const handle = await run.startResearch({ idea, config: read.config });
  const second = (await handle.result()) as ResearchResult;
  expect(second.iterations.map(({ similar }) => similar)).toEqual([4, 0]);
  const events = await handle.query<RunEvent[]>('events');
  const plans = events.flatMap((event) => (event.type === 'plan' ? [event.approach] : []));
  expect(plans[0]).toContain('Earlier research is known: Idea: momentum trading strategy');
  expect(run.model.requests).toEqual([]);
});
