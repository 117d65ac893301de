import { HttpProblem, type Problem } from '../problems.ts';

/** A request whose parameter is refused. */
export class ParameterProblem extends HttpProblem {
  readonly param: string;

  /** @param param such as `messages[1].content` */
  constructor(param: string, message: string) {
    super(400, `${param}: ${message}`);
    this.param = param;
  }
}

const kinds: Record<number, [type: string, code: string]> = {
  401: ['authentication_error', 'invalid_api_key'],
  403: ['permission_error', 'forbidden'],
  404: ['not_found_error', 'not_found'],
  424: ['server_error', 'run_failed'],
  429: ['rate_limit_error', 'rate_limit_exceeded'],
};

/** An error as OpenAI's clients read it. */
export function openaiError({ detail: message, status }: Pick<Problem, 'detail' | 'status'>, error?: unknown) {
  const other = status < 500 ? 'invalid_request_error' : 'server_error';
  const [type, code] = kinds[status] ?? [other, other];
  return { error: { message, type, param: error instanceof ParameterProblem ? error.param : null, code } };
}
