import { Hono } from 'hono';
import { bodyJson } from '../door.ts';
import type { Served, ServeEnv } from '../served.ts';
import { events } from '../streams.ts';
import { askedIn } from './input.ts';
import { aguiRun } from './run.ts';

/** AG-UI 1.0: `POST /NAME` runs the configuration NAME, and answers with a stream of events. */
export function aguiRoutes(served: Served): Hono<ServeEnv> {
  const routes = new Hono<ServeEnv>();
  routes.post('/:name', async (c) => {
    const asked = askedIn(await bodyJson(c));
    const run = aguiRun(served, c.get('access'), c.req.param('name'), asked);
    return events(c, async function* (signal) {
      for await (const event of run(signal)) yield { data: JSON.stringify(event) };
    });
  });
  return routes;
}
