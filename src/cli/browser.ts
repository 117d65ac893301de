import { spawn } from 'node:child_process';

/** Opens an address where there is a screen or a named browser. Where that fails, its having been printed is enough. */
export async function openInBrowser(env: NodeJS.ProcessEnv, address: string): Promise<void> {
  // An editor at another machine names one that opens addresses where the person is.
  const hasBrowser = Boolean(env['DISPLAY'] || env['WAYLAND_DISPLAY'] || env['BROWSER']);
  const commands: Partial<Record<NodeJS.Platform, [string, ...string[]]>> = {
    darwin: ['open'],
    win32: ['rundll32', 'url.dll,FileProtocolHandler'],
    ...(hasBrowser && { linux: ['xdg-open'] }),
  };
  const [program, ...words] = commands[process.platform] ?? [];
  // What another server names may be anything.
  if (program === undefined || !/^https?:/.test(address)) return;
  const child = spawn(program, [...words, address], { env, stdio: 'ignore', detached: true });
  child.unref();
  await new Promise((resolve) => child.once('spawn', resolve).once('error', resolve));
}
