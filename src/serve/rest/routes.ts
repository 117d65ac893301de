import { Hono } from 'hono';
import { z } from 'zod';
import { version } from '../../util/version.ts';
import { bodyJson } from '../door.ts';
import type { Served, ServeEnv } from '../served.ts';
import { ownId } from '../start.ts';
import { actOperations } from './acts.ts';
import { valid, type Operation } from './operation.ts';
import { runOperations } from './runs.ts';

const operations: Operation[] = [...runOperations, ...actOperations];

export function restRoutes(served: Served): Hono<ServeEnv> {
  const app = new Hono<ServeEnv>();
  for (const each of operations) {
    const { body, method, path, query } = each;
    const pattern = path.replace('{path}', ':path{.+}').replace('{id}', ':id');
    app.on(method, pattern, async (c) => {
      const access = c.get('access');
      const { id: named } = c.req.param() as { id?: string };
      return each.handle({
        access,
        body: body && valid(body, await bodyJson(c)),
        c,
        id: named === undefined ? '' : ownId(access, named),
        query: query === undefined ? {} : valid(query, c.req.query()),
        served,
      });
    });
  }
  // Made once: it takes longer than most requests.
  let document: object | undefined;
  app.get('/openapi.json', (c) => c.json((document ??= openApi(operations, served.url))));
  return app;
}

type Json = Record<string, unknown>;

const problem: Json = {
  type: 'object',
  required: ['type', 'title', 'status', 'detail'],
  properties: {
    type: { type: 'string' },
    title: { type: 'string' },
    status: { type: 'integer' },
    detail: { type: 'string', description: 'What is wrong, as the command line says it.' },
    error: { type: 'string', description: 'The class of the error in the library, where it has one.' },
    failure: { type: 'string', description: 'The type of the failure by which a run or a turn ended.' },
  },
};

/** The description of all operations, as OpenAPI 3.1 has it. */
function openApi(operations: Operation[], url: string): Json {
  const paths: Record<string, Json> = {};
  for (const each of operations) (paths[each.path] ??= {})[each.method.toLowerCase()] = described(each);
  const named: Json = { Problem: problem };
  const document = {
    openapi: '3.1.0',
    info: {
      title: 'Reprise',
      version: version,
      description: 'Teams of agents as durable runs: docs/http.md.',
    },
    servers: [{ url: `${url}/api/v1` }],
    security: [{ token: [] }],
    paths,
    components: {
      securitySchemes: { token: { type: 'http', scheme: 'bearer' } },
      schemas: named,
      responses: {
        Problem: {
          description: 'It is refused, or has failed (RFC 9457).',
          content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
        },
      },
    },
  };
  // Each schema is made with those that it names, which the document has once.
  return JSON.parse(JSON.stringify(document), (key, value: unknown) => {
    if (key === '$ref') return (value as string).replace('#/$defs/', '#/components/schemas/');
    if (key === 'schemas') return named;
    if (key !== '$defs') return value;
    Object.assign(named, value);
    return undefined;
  }) as Json;
}

function described({
  answers,
  body,
  headers = {},
  name,
  path,
  query,
  types = [],
  what,
  written = body,
}: Operation): Json {
  const { properties = {} } = query === undefined ? {} : schemaOf(query);
  const parameters = [
    ...[...path.matchAll(/\{(\w+)\}/g)].map(([, word]) => of(word ?? '', 'path', {}, true)),
    ...Object.entries(properties).map(([word, schema]) => of(word, 'query', schema)),
    ...Object.entries(headers).map(([word, description]) => of(word, 'header', { description })),
  ];
  const statuses = Object.entries(answers).map(([status, answer]) => {
    const [description, schema] = typeof answer === 'string' ? [answer] : answer;
    const json = schema && { 'application/json': { schema: schemaOf(schema) } };
    const content = { ...json, ...Object.fromEntries(types.map((type) => [type, { schema: {} }])) };
    return [status, status === '204' ? { description } : { description, content }];
  });
  return {
    operationId: name,
    summary: what,
    ...(parameters.length > 0 && { parameters }),
    ...(written && { requestBody: { required: true, content: { 'application/json': { schema: schemaOf(written) } } } }),
    responses: { ...Object.fromEntries(statuses), default: { $ref: '#/components/responses/Problem' } },
  };
}

function of(name: string, place: string, { description, ...schema }: Json, required = false): Json {
  return { name, in: place, required, ...(description ? { description } : {}), schema: { type: 'string', ...schema } };
}

function schemaOf(schema: z.ZodType): Json & { properties?: Record<string, Json> } {
  const { $schema: _, ...made } = z.toJSONSchema(schema, {
    io: 'input',
    override: ({ jsonSchema }) => void delete (jsonSchema as Json)['privilege'],
  });
  return made as ReturnType<typeof schemaOf>;
}
