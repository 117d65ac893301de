import { readFileSync } from 'node:fs';
import { afterAll, expect, test } from 'vitest';
import { Trees } from '../../../src/tools/workspaces/tree.ts';
import { toolBench } from '../../support/tool-bench.ts';

const bench = toolBench();
afterAll(() => bench.close());

test('the program that docs/tools.md shows returns what the page says', async () => {
  const page = readFileSync(new URL('../../../docs/tools.md', import.meta.url), 'utf8');
  const section = page.slice(page.indexOf('## Running Python'));
  const [code = '', shown = ''] = [...section.matchAll(/^```text\n(.*?)\n```$/gms)].map(([, text]) => text);
  const sales = 'region,revenue\nsouth,12\nnorth,10\nnorth,20.5\n';
  const [id = ''] = await bench.store.putObjects([Buffer.from(sales)]);
  const tree = await new Trees(bench.store).write(new Map([['sales.csv', { id, bytes: sales.length, mode: 'file' }]]));
  const tool = {
    name: 'run_python',
    source: { package: 'builtin.python' },
    timeout: 400,
    workspace: { tree, mounts: [] },
  };
  expect(await bench.call(tool, { code }).result).toMatchObject({ status: 'ok', text: shown });
});
