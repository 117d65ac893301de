import { Ajv2020 } from 'ajv/dist/2020.js';

type Paths = Record<string, Record<string, { responses: Record<string, object> }>>;

/** Checks what `/api/v1` answers by what its OpenAPI document says. @throws where an answer is not as described */
export class Described {
  readonly #paths: Paths;
  readonly #ajv = new Ajv2020({ strict: false, validateFormats: false });

  constructor(document: { paths: Paths }) {
    this.#paths = document.paths;
    this.#ajv.addSchema(document, 'document');
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
    if (this.#ajv.validate({ $ref: `document#/${pointer}` }, body)) return;
    throw new Error(
      `${method} ${path} answers what is not described: ${this.#ajv.errorsText()} in ${JSON.stringify(body)}`,
    );
  }
}
