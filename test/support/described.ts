import { Ajv2020 } from 'ajv/dist/2020.js';

type Paths = Record<string, Record<string, { responses: Record<string, object> }>>;

/** Compiling takes long: it is done once for all servers of a process that describe the same. */
const compilers = new Map<string, Ajv2020>();

/** Checks what `/api/v1` answers by what its OpenAPI document says. @throws where an answer is not as described */
export class Described {
  readonly #paths: Paths;
  readonly #ajv: Ajv2020;

  constructor({ components, paths }: { components: object; paths: Paths }) {
    this.#paths = paths;
    const document = { components, paths };
    const text = JSON.stringify(document);
    this.#ajv = compilers.get(text) ?? new Ajv2020({ strict: false, validateFormats: false });
    if (!compilers.has(text)) compilers.set(text, this.#ajv.addSchema(document, 'document'));
  }

  async check(method: string, path: string, answer: Response): Promise<void> {
    const [type = ''] = answer.headers.get('content-type')?.split(';') ?? [];
    if (!type.endsWith('json')) return;
    const { pathname } = new URL(path, 'http://here/');
    const template = Object.keys(this.#paths).find((each) =>
      new RegExp(`^/api/v1${each.replace('{path}', '.+').replace('{id}', '[^/]+')}$`).test(pathname),
    );
    const responses = template && this.#paths[template]?.[method.toLowerCase()]?.responses;
    if (!responses) return;
    const isProblem = answer.status >= 400;
    const place = isProblem
      ? ['components', 'responses', 'Problem', 'content', type, 'schema']
      : ['paths', template, method.toLowerCase(), 'responses', String(answer.status), 'content', type, 'schema'];
    const pointer = place.map((each) => encodeURIComponent(each.replaceAll('~', '~0').replaceAll('/', '~1'))).join('/');
    const body: unknown = await answer.clone().json();
    // It compiles each once, where `validate` would compile the reference again each time.
    const schema = this.#ajv.getSchema(`document#/${pointer}`);
    if (schema?.(body) === true) return;
    const why = schema === undefined ? `there is no ${pointer}` : this.#ajv.errorsText(schema.errors);
    throw new Error(`${method} ${path} answers what is not described: ${why} in ${JSON.stringify(body)}`);
  }
}
