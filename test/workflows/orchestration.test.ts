import { expect, test } from 'vitest';
import { running } from '../support/running.ts';
import { teamOf, teamScript } from '../support/team-script.ts';

const team = ['agent_a', 'agent_b', 'agent_c'];
test('first light', async () => {
  await using run = await running(teamScript());
  const result = await run.orchestrate({ task: 'What is 6 × 7?', config: teamOf(team, { type: 'openai' }) });
  console.log(JSON.stringify(result, null, 1), run.model.requests.length);
  expect(run.model.requests).toHaveLength(8);
});
