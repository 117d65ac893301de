import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { checkResearch } from '../../src/config/kinds.ts';
import { readConfigFile } from '../../src/config/read-config.ts';
import { running } from '../support/running.ts';

const file = fileURLToPath(new URL('../../examples/research.yaml', import.meta.url));

test('research: the first run reports from the notes; the second finds that report beside them, and plans anew', async () => {
  const read = readConfigFile(file, checkResearch);
  if (!read.ok) throw new Error(read.problems.join('\n'));
  const idea = /^# .*"(.*)"$/m.exec(readFileSync(file, 'utf8'))?.[1] ?? '';
  await using run = await running(() => ({}), { OPENAI_API_KEY: '', ANTHROPIC_API_KEY: '' });

  const first = await run.research({ idea, config: read.config });
  expect(first).toMatchObject({
    outcome: 'viable',
    gaps: [],
    iterations: [{ iteration: 1, idea, similar: 4, restartKind: null, verdict: 'Moderate concerns' }],
  });
  const addresses = first.report.sources.map(({ url }) => url);
  expect(addresses.length).toBeGreaterThan(3);
  for (const address of addresses) expect(address).toMatch(/^[a-z-]+\.md:\d+$/);

  const { iterations, outcome } = await run.research({ idea, config: read.config });
  const [restarted, next] = iterations;
  expect(restarted).toMatchObject({ idea, similar: 5, restartKind: 'prior_art', score: null });
  expect(restarted?.restartReason).toContain(first.report.title);
  expect(next?.idea).toMatch(/^momentum trading strategy, and also: .+ data/);
  expect(outcome).toBe('viable');
  expect(run.model.requests).toEqual([]);
});
