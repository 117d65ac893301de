import { Hono } from 'hono';
import { bodyJson } from '../door.ts';
import type { Served, ServeEnv } from '../served.ts';
import { assertReached } from '../start.ts';
import { actOperations } from './acts.ts';
import { followOperation } from './follow.ts';
import { openApi } from './openapi.ts';
import { valid, type Operation } from './operation.ts';
import { runOperations } from './runs.ts';

const operations: Operation[] = [...runOperations, followOperation, ...actOperations];

/** The REST interface below `/api/v1`. */
export function restRoutes(served: Served): Hono<ServeEnv> {
  const app = new Hono<ServeEnv>();
  for (const each of operations) {
    const { body, method, path, query } = each;
    const pattern = path.replace('{path}', ':path{.+}').replace('{id}', ':id');
    app.on(method, pattern, async (c) => {
      const access = c.get('access');
      const { id = '' } = c.req.param() as { id?: string };
      if (path.includes('{id}')) assertReached(access, id);
      return each.handle({
        access,
        body: body && valid(body, await bodyJson(c)),
        c,
        id,
        query: query && valid(query, c.req.query()),
        served,
      });
    });
  }
  // Made once: it takes longer than most requests.
  let document: object | undefined;
  app.get('/openapi.json', (c) => c.json((document ??= openApi(operations, served.url))));
  return app;
}
