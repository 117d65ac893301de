import { resolve } from 'node:path';
import { Hono, type MiddlewareHandler } from 'hono';
import { a2aRoutes } from './a2a/routes.ts';
import type { Access } from './access.ts';
import { aguiRoutes } from './agui/run.ts';
import { door, tokenReader } from './door.ts';
import { mcpRoutes } from './mcp/doors.ts';
import { errorPage, takesPages } from './pages/page.ts';
import { pageRoutes } from './pages/routes.ts';
import { openaiError } from './openai/parameters.ts';
import { openaiRoutes } from './openai/routes.ts';
import { HttpProblem, problemOf } from './problems.ts';
import { restRoutes } from './rest/routes.ts';
import type { Served, ServeEnv } from './served.ts';

export function createApp(served: Served): Hono<ServeEnv> {
  const app = new Hono<ServeEnv>();
  app.onError((error, c) => {
    const found = problemOf(error);
    const problem = { ...found, detail: served.typed(found.detail) };
    // Of a request that was broken off nothing is wrong here.
    if (problem.status === 500 && !c.req.raw.signal.aborted)
      served.say(`${c.req.method} ${c.req.path}: ${error.stack ?? error.message}`);
    const headers = error instanceof HttpProblem ? error.headers : {};
    if (takesPages(c)) return errorPage(c, problem, headers);
    const [type, body] = c.req.path.startsWith('/v1/')
      ? ['application/json', openaiError(problem, error)]
      : ['application/problem+json', problem];
    return new Response(JSON.stringify(body), {
      status: problem.status,
      headers: { 'content-type': type, ...Object.fromEntries(c.res.headers), ...headers },
    });
  });
  app.notFound(({ req }) => {
    const handlers = (method: string): number => app.router.match(method, req.path)[0].length;
    // What stands before all paths takes any method.
    const allow = ['GET', 'POST'].filter((method) => handlers(method) > handlers('TRACE')).join(', ');
    if (allow !== '') throw new HttpProblem(405, `${req.path} takes ${allow}, and no ${req.method}`, { allow });
    const hint = req.path.startsWith('/api/') ? '; GET /api/v1/openapi.json tells what there is' : ` for ${req.method}`;
    throw new HttpProblem(404, `There is nothing at ${req.path}${hint}`);
  });
  const read = tokenReader(served.owner);
  app.use(withoutFolders(served), door(served, read));
  app.get('/health', (c) => c.json({ status: 'ok' }));
  app.route('/', a2aRoutes(served));
  app.route('/agui', aguiRoutes(served));
  app.route('/', mcpRoutes(served));
  app.route('/api/v1', restRoutes(served));
  app.route('/', pageRoutes(served, read));
  app.route('/v1', openaiRoutes(served));
  return app;
}

/**
 * Leaves the folders of this machine out of what is answered to whoever may see only some of its runs, in whichever protocol: why
 * a run has failed, and what it has done, may name them.
 */
function withoutFolders({ configs, home }: Served): MiddlewareHandler<ServeEnv> {
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
