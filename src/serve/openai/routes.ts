import { Hono } from 'hono';
import { namedConfigs, type NamedConfig } from '../configs.ts';
import { HttpProblem } from '../problems.ts';
import type { Served, ServeEnv } from '../served.ts';
import { chat } from './chat.ts';
import { cancel, create, inputItems, retrieve } from './responses.ts';

const modelOf = ({ kind, name }: NamedConfig) => ({ id: name, object: 'model', created: 0, owned_by: 'reprise', kind });

/** What clients of OpenAI speak to: a model is a configuration by its name. */
export function openaiRoutes(served: Served): Hono<ServeEnv> {
  return new Hono<ServeEnv>()
    .get('/models', (c) => c.json({ object: 'list', data: namedConfigs(served.configs, c.get('access')).map(modelOf) }))
    .get('/models/:name', (c) => {
      const { name } = c.req.param();
      const all = namedConfigs(served.configs, c.get('access')).map(modelOf);
      const found = all.find(({ id }) => id === name);
      const names = all.map(({ id }) => id).join(', ');
      if (found === undefined) throw new HttpProblem(404, `There is no configuration "${name}"; there are: ${names}`);
      return c.json(found);
    })
    .post('/chat/completions', (c) => chat(served, c))
    .post('/responses', (c) => create({ c, served }))
    .get('/responses/:id', (c) => retrieve({ c, served }))
    .get('/responses/:id/input_items', (c) => inputItems({ c, served }))
    .post('/responses/:id/cancel', (c) => cancel({ c, served }));
}
