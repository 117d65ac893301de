import { resolve } from 'node:path';
import type { MiddlewareHandler } from 'hono';
import type { Access } from './access.ts';
import type { Served, ServeEnv } from './served.ts';

/**
 * Leaves the folders of this machine out of what is answered to whoever may see only some of its runs, in whichever protocol: why
 * a run has failed, and what it has done, may name them.
 */
export function withoutFolders({ configs, home }: Served): MiddlewareHandler<ServeEnv> {
  const folders = [resolve(configs), resolve(home)]
    .toSorted((one, other) => other.length - one.length)
    .map((folder) => folder.replaceAll(/[^\w/]/g, '\\$&'));
  // Not as a part of other names: a container's /data is in https://example.com/data and in /database too. A letter behind a
  // backslash is an escape of JSON, such as a line end.
  const alone = String.raw`(?:(?<=file://)|(?<!(?:^|[^\\])[\w./-]))(?:${folders.join('|')})(?:(/)|(?!\.?[\w-]))`;
  const named = new RegExp(alone, 'g');
  const without = (text: string): string =>
    text.replaceAll(named, (_, below?: string) => (below === undefined ? '.' : ''));
  return async (c, next) => {
    await next();
    const access = c.get('access') as Access | undefined;
    const { body, headers } = c.res;
    const isFile = headers.get('content-type') === 'application/octet-stream';
    if (access === undefined || access.prefix === '' || body === null || isFile) return;
    const changed = new TransformStream<string, string>({
      transform: (text, controller) => controller.enqueue(without(text)),
    });
    const texts = body.pipeThrough(new TextDecoderStream()).pipeThrough(changed);
    c.res = new Response(texts.pipeThrough(new TextEncoderStream()), c.res);
  };
}
