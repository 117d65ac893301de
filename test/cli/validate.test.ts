import { copyFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Home } from '../support/cli.ts';

const example = fileURLToPath(new URL('../../examples/simple-tool.yaml', import.meta.url));

let home: Home;
beforeAll(async () => {
  home = await Home.make();
  copyFileSync(example, join(home.folder, 'agent.yaml'));
});
afterAll(() => home.remove());

describe('a configuration of one agent', () => {
  test('is described, without its tools being loaded; a missing key is a warning', async () => {
    const { status, stdout, stderr } = await home.run(['validate', 'agent.yaml']);
    expect(status).toBe(0);
    expect(stdout.trimEnd().split('\n')).toEqual([
      'agent.yaml is valid.',
      'One agent (orchestrator):',
      '  backend: openai gpt-4',
      '  orchestrator: simple_tool, up to 15 model calls a turn',
      '  tools: tools.weather, tools.calendar (loaded by the worker)',
    ]);
    expect(stderr.trimEnd()).toBe(
      'Warning: agent orchestrator: its backend "openai" needs OPENAI_API_KEY, which is not set',
    );
  });

  test('is nothing to ask a team’s task of: status 2, nothing started', async () => {
    const { status, stderr } = await home.run(['ask', '--config', 'agent.yaml', 'hi']);
    expect(status).toBe(2);
    expect(stderr).toContain(
      'agent.yaml:6: modules: one agent (modules and exchange) takes no task of a team',
    );
    expect(existsSync(join(home.path, 'up.lock'))).toBe(false);
  });
});
