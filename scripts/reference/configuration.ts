import { jsonSchemaOf, type JsonSchema } from '../../src/config/json-schema.ts';
import { table } from './table.ts';

interface Schema extends JsonSchema {
  description?: string;
  default?: string | number | boolean | unknown[];
  type?: string | string[];
  enum?: string[];
  const?: boolean;
  anyOf?: Schema[];
  items?: Schema;
  properties?: Record<string, Schema>;
  additionalProperties?: boolean | Schema;
  minimum?: number;
  exclusiveMinimum?: number;
  maximum?: number;
}

const schemas = {
  team: jsonSchemaOf('team') as Schema,
  agent: jsonSchemaOf('agent') as Schema,
  research: jsonSchemaOf('research') as Schema,
  plan: jsonSchemaOf('plan') as Schema,
};

/** Keys that several kinds of configuration have, with the section that tells of them. */
const shared: Record<string, string> = {
  backend: 'A backend',
  mcp_servers: 'An MCP server',
  servers: 'An MCP server',
  budget: 'Budget',
  prices: 'Prices',
  permissions: 'Permissions',
  coordination: 'Coordination',
};

const top = (kind: keyof typeof schemas, ...keys: string[]): Schema => ({
  properties: Object.fromEntries(keys.map((key) => [key, schemas[kind].properties?.[key] ?? {}])),
});

const backend = schemas.team.definitions as { backend: Schema };

const everywhere = ['$schema', 'budget', 'prices', 'permissions', 'attended', 'coordination', 'idle_timeout'];
const own = (kind: keyof typeof schemas): Schema =>
  top(kind, ...Object.keys(schemas[kind].properties ?? {}).filter((key) => !everywhere.includes(key)));

const intro = `# Every key of a configuration

What the [JSON schemas](../command-line.md#schemas-for-editors) say. [Configuration](../configuration.md) explains it, with examples.
\`agents[]\` is each entry of a list, and \`NAME\` a name of your choice. A default of – stands where the key may be left out and
its meaning says what then holds; a key that is **required** may not. Waiting times are in seconds, and at most ten years.`;

export const configurationPage = (): string =>
  `${[
    intro,
    section('A team', own('team')),
    section('One agent', own('agent')),
    ...modules(),
    section('Research', own('research')),
    section('A plan', own('plan')),
    section('Every kind of configuration', top('team', ...everywhere.filter((key) => key !== 'coordination'))),
    section('Coordination', schemas.agent.properties?.['coordination'] ?? {}),
    section('Budget', schemas.team.properties?.['budget'] ?? {}),
    section('Permissions', schemas.team.properties?.['permissions']?.items ?? {}),
    section('Prices', schemas.team.properties?.['prices'] ?? {}),
    section('A backend', backend.backend),
    section('An MCP server', backend.backend.properties?.['mcp_servers']?.items ?? {}),
  ].join('\n\n')}\n`;

/** The settings of each module of one agent. */
function modules(): string[] {
  const { allOf = [] } = (schemas.agent.properties?.['modules']?.items ?? {}) as {
    allOf?: Array<{ if: Schema; then: Schema }>;
  };
  return allOf.flatMap(({ if: condition, then }) => {
    const pattern = String(condition.properties?.['module']?.['pattern']);
    const names = (/\(\?:([\w|]+)\)\$$/.exec(pattern)?.[1] ?? '').split('|').map((name) => `\`${name}\``);
    const config = then.properties?.['config'] ?? {};
    const heading = `Settings of ${names.join(', ')}`;
    if (Object.keys(config.properties ?? {}).length === 0) return [`### ${heading}\n\nNone.`];
    if (config.properties?.['base_url'] === undefined) return [section(heading, config, '###')];
    const keys = Object.keys(backend.backend.properties ?? {}).filter((key) => !(key in (config.properties ?? {})));
    return [
      `### ${heading}\n\nThose of [a backend](#a-backend), without ${keys.map((key) => `\`${key}\``).join(' and ')}.`,
    ];
  });
}

function section(title: string, schema: Schema, level = '##'): string {
  return `${level} ${title}\n\n${table(['key', 'value', 'default', 'meaning'], rowsOf(schema, ''))}`;
}

function rowsOf(schema: Schema, path: string): string[][] {
  const required = (schema['required'] as string[] | undefined) ?? [];
  const known = Object.entries(schema.properties ?? {}).flatMap(([key, value]) => {
    const place = `${path}${key}`;
    const title = shared[key];
    const fallback = required.includes(key) ? '**required**' : defaultOf(value);
    const row = [`\`${place}\``, valueOf(value), fallback, value.description ?? ''];
    if (title !== undefined && !(path === 'orchestrator.' && key === 'coordination'))
      return [[row[0] ?? '', `[see there](#${title.toLowerCase().replaceAll(' ', '-')})`, row[2] ?? '', row[3] ?? '']];
    return [row, ...rowsOf(value, `${place}.`), ...(value.items ? rowsOf(value.items, `${place}[].`) : [])];
  });
  const other = schema.additionalProperties;
  return typeof other === 'object' && other.properties ? [...known, ...rowsOf(other, `${path}NAME.`)] : known;
}

const defaultOf = ({ default: value }: Schema): string =>
  value === undefined || value === '' ? '–' : typeof value === 'object' ? 'none' : String(value);

/** What a value may be, in words. */
function valueOf({ anyOf, const: only, enum: choices, items, type, ...schema }: Schema): string {
  if (only !== undefined) return `\`${String(only)}\``;
  if (choices !== undefined) return choices.map((choice) => `\`${choice}\``).join(', ');
  if (anyOf !== undefined)
    return [...new Set(anyOf.map((each) => (each['pattern'] ? 'a name or path' : valueOf(each))))].join(', ');
  switch (type) {
    case 'boolean':
      return '`true`, `false`';
    case 'integer':
    case 'number':
      return `${type === 'integer' ? 'whole number' : 'number'}${rangeOf(schema)}`;
    case 'array':
      return items?.type === 'object' ? 'list' : 'list of texts';
    case 'string':
      return schema['format'] === 'uri' ? 'address' : 'text';
    default:
      return byNames(schema);
  }
}

/** Of keys that are names of the author's choice, what stands behind them. */
const byNames = ({ additionalProperties: other }: Schema): string =>
  typeof other === 'object' && typeof other.type === 'string' && other.type !== 'object'
    ? `${other.type === 'string' ? 'text' : other.type}s by names`
    : 'keys';

/** In seconds. The page says once that no waiting time is longer. */
const tenYears = 315_360_000;

function rangeOf({ minimum, exclusiveMinimum, maximum }: Schema): string {
  const least = minimum === undefined ? undefined : String(minimum);
  const most = maximum === undefined || maximum === tenYears ? undefined : String(maximum);
  if (least !== undefined && most !== undefined) return `, ${least} to ${most}`;
  return [
    least !== undefined && `, at least ${least}`,
    exclusiveMinimum !== undefined && `, above ${exclusiveMinimum}`,
    most !== undefined && `, at most ${most}`,
  ]
    .filter(Boolean)
    .join('');
}
