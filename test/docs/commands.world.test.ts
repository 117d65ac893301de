import { readFileSync } from 'node:fs';
import { afterAll, expect, test, vi } from 'vitest';
import { isCommands, nameOf, pages, readPage, stepsOf, type Block, type Step } from './blocks.ts';
import { difference } from './compare.ts';
import { PageFolder } from './page-folder.ts';
import { endless, setUps } from './set-up.ts';

const withCommands = pages.map((page) => ({ page, blocks: readPage(page).filter((block) => isRun(block)) }));

// Each has a server and a worker, and there are other tests.
vi.setConfig({ maxConcurrency: 2 });

/** Whether a block is run: commands, and programs that are not named to be files of the reader's. */
function isRun(block: Block): boolean {
  return block.notRun === undefined && (isCommands(block) || isProgram(block));
}

function isProgram({ language, text }: Block): boolean {
  return language === 'ts' && fileOf(text) === undefined;
}

/** The file that a block stands for, by its first line: `// tools/weather.ts` or `# team.yaml`. */
function fileOf(text: string): string | undefined {
  return /^(?:\/\/|#) ([\w./-]+\.(?:ts|ya?ml|json))\n/.exec(text)?.[1];
}

/** Folders that no page uses at the moment: a server and a worker cost more than most pages' commands. */
const free: PageFolder[] = [];
afterAll(async () => {
  for (const folder of free) await folder.remove();
});

const advice =
  'Mend the page, or give the command what it needs in test/docs/set-up.ts (CONTRIBUTING.md, "How the documentation is tested")';

test.concurrent.each(withCommands.filter(({ blocks }) => blocks.length > 0))(
  'what $page tells to type does what it says',
  async ({ page, blocks }) => {
    const { steps = {}, ...setUp } = setUps[page] ?? {};
    const folder = free.pop() ?? (await PageFolder.make());
    const problems: string[] = [];
    const carryOut = async ({ place, command, shown }: Step): Promise<void> => {
      const step = steps[nameOf(command)] ?? endless[nameOf(command)] ?? {};
      try {
        await step.before?.(folder);
        const { status, output } = await folder.run(command, step);
        await step.after?.(folder);
        const expected = step.status ?? 0;
        const found =
          status !== expected
            ? `its exit status is ${status} instead of ${expected}. It has printed:\n${output}`
            : shown && difference(shown, output);
        if (found !== undefined) problems.push(`${place}: ${command}\n${found}`);
      } catch (error) {
        problems.push(`${place}: ${command}\n${String(error)}`);
      }
    };
    try {
      await folder.prepare({ ...setUp, files: { ...filesOf(page), ...setUp.files } });
      for (const [index, block] of blocks.entries()) {
        folder.begin();
        if (isProgram(block)) {
          folder.write(`program-${index}.ts`, block.text);
          await carryOut({ place: block.place, command: `node program-${index}.ts` });
        } else for (const step of stepsOf(block)) await carryOut(step);
        await folder.endStaying();
      }
    } finally {
      await folder.clean();
      free.push(folder);
    }
    if (problems.length > 0) throw new Error(`${problems.join('\n\n')}\n\n${advice}`);
  },
  // Each command has its own limit, which says what hangs.
  900_000,
);

test('what docs/mcp-server.md gives to editors starts a server that has the tools of its table', async () => {
  const [block] = readPage('docs/mcp-server.md').filter(({ language }) => language === 'json');
  const { mcpServers } = JSON.parse(block?.text ?? '') as {
    mcpServers: Record<'reprise', { command: string; args: string[] }>;
  };
  const { args, command } = mcpServers.reprise;
  const clientInfo = { name: 'editor', version: '1' };
  const asked = [
    { id: 1, method: 'initialize', params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo } },
    { method: 'notifications/initialized' },
    { id: 2, method: 'tools/list' },
  ].map((message) => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const folder = free.pop() ?? (await PageFolder.make());
  free.push(folder);
  await folder.prepare({});
  const { output } = await folder.run([command, ...args].join(' '), { types: asked.join('') });
  const listed = /^\{.*"id":2.*\}$/m.exec(output)?.[0] ?? output;
  const { result } = JSON.parse(listed) as { result: { tools: Array<{ name: string }> } };
  const table = readFileSync(new URL('../../docs/mcp-server.md', import.meta.url), 'utf8').matchAll(/^\| `(\w+) \{/gm);
  expect(result.tools.map(({ name }) => name)).toEqual([...table].map(([, name]) => name));
});

/** The files that a page shows with their names. */
function filesOf(page: string): Record<string, string> {
  const named = readPage(page).map(({ text }) => [fileOf(text), text]);
  return Object.fromEntries(named.filter(([name]) => name !== undefined)) as Record<string, string>;
}

test('what is set up for a command belongs to one that its page still has', () => {
  const stray = Object.entries(setUps).flatMap(([page, { steps = {} }]) => {
    const known = readPage(page)
      .flatMap(stepsOf)
      .map(({ command }) => nameOf(command));
    return Object.keys(steps)
      .filter((name) => !known.includes(name))
      .map((name) => `${page}: ${name}`);
  });
  expect(stray).toEqual([]);
});
