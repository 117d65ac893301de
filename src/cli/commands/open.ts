import { spawn } from 'node:child_process';
import { openWithWorker, pageOf, withConnection } from '../connection.ts';
import { CommandError } from '../exit.ts';
import type { CommonOptions } from '../options.ts';
import type { Shell } from '../shell.ts';
import { choices, isRun, runMeant } from '../which-run.ts';

/** `reprise open [ID]`: opens the page of a run in the browser, or that of all runs, and prints its address. */
export async function openPage(shell: Shell, given: string | undefined, options: CommonOptions): Promise<void> {
  await withConnection(openWithWorker(shell, options), async (opened) => {
    const { reprise } = opened;
    const id = given && (await runMeant(shell, reprise, given, choices.any));
    if (id !== undefined && !(await isRun(reprise, id))) throw new CommandError(`There is no run of the id ${id}`);
    const page = pageOf(opened, id);
    if (page === undefined)
      throw new CommandError('The Web UI of a server that Reprise has not started is not known here');
    await shell.print(page);
    await openInBrowser(shell, page);
  });
}

/** Opens an address where there is a screen. Where that fails, its having been printed is enough. */
async function openInBrowser({ env }: Shell, address: string): Promise<void> {
  const hasScreen = Boolean(env['DISPLAY'] || env['WAYLAND_DISPLAY']);
  const commands: Partial<Record<NodeJS.Platform, [string, ...string[]]>> = {
    darwin: ['open', address],
    win32: ['rundll32', 'url.dll,FileProtocolHandler', address],
    ...(hasScreen && { linux: ['xdg-open', address] }),
  };
  const [program, ...words] = commands[process.platform] ?? [];
  if (program === undefined) return;
  const child = spawn(program, words, { env, stdio: 'ignore', detached: true });
  child.unref();
  await new Promise((resolve) => child.once('spawn', resolve).once('error', resolve));
}
