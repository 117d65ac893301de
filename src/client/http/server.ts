import { setTimeout as pause } from 'node:timers/promises';
import { WorkflowFailedError, WorkflowNotFoundError, WorkflowUpdateFailedError } from '@temporalio/client';
import { ApplicationFailure, RetryState } from '@temporalio/common';
import { parsedJson } from '../../util/values.ts';
import { shortened } from '../../workflows/runtime/size.ts';
import {
  MessageRefusedError,
  RequestRefusedError,
  RunExistsError,
  RunNotOpenError,
  UnreachableError,
  UnservedError,
} from '../errors.ts';

export interface Request {
  /** Sent as JSON by POST; without it, by GET. */
  body?: object;
  headers?: Record<string, string>;
  signal?: AbortSignal | undefined;
  /** How often it is sent while nobody answers; once when absent. */
  attempts?: number;
}

/** What a server, or a balancer before it, answers that may answer later: too many requests, and nobody behind it. */
const passing = [429, 502, 503, 504];

export class HttpServer {
  readonly #url: string;
  readonly #token: string;

  constructor(url: string, token: string) {
    // Others are given the address of the API itself.
    this.#url = url.replace(/(?:\/api\/v1|\/v1)?\/*$/, '');
    this.#token = token;
  }

  /** @param path below `/api/v1` @throws what the library throws for the problem; `RequestRefusedError`; `UnreachableError` */
  send(path: string, request: Request = {}): Promise<Response> {
    return this.read(path, request, (answer) => answer);
  }

  /** Reads an answer, and makes the request again where it breaks off. @param read what is wanted of it @throws as `send` */
  async read<T>(
    path: string,
    { attempts = 1, body, headers = {}, signal }: Request,
    read: (answer: Response) => T | Promise<T>,
  ): Promise<T> {
    const init: RequestInit = {
      method: body === undefined ? 'GET' : 'POST',
      headers: {
        authorization: `Bearer ${this.#token}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(signal && { signal }),
    };
    for (let left = attempts; ; left--) {
      try {
        const answer = await fetch(`${this.#url}/api/v1${path}`, init);
        if (answer.ok) return await read(answer);
        throw await errorOf(answer, path);
      } catch (error) {
        if (signal?.aborted) throw error;
        // What `fetch` throws is a `TypeError`, whatever the reason is.
        const isAway = error instanceof TypeError;
        const mayCome = isAway || (error instanceof RequestRefusedError && passing.includes(error.status));
        if (!mayCome || left <= 1) throw isAway ? new UnreachableError(this.#url, error, serverHelp) : error;
      }
      await pause(1000);
    }
  }

  /** Whether it answers, and takes the token. @throws as `read`; `UnreachableError` where something else answers */
  async check(): Promise<void> {
    const isList = async (answer: Response): Promise<boolean> => Array.isArray(parsedJson(await answer.text()));
    if (await this.read('/runs?limit=1', {}, isList)) return;
    throw new UnreachableError(this.#url, new Error('something else answers there'), serverHelp);
  }

  get<T>(path: string): Promise<T> {
    return this.read(path, {}, (answer) => answer.json() as Promise<T>);
  }
}

const serverHelp = 'Start it: npx reprise serve. Or name another one: connect({ url })';

/** The error of the library that a server tells, or one that has its words. */
async function errorOf(answer: Response, path: string): Promise<Error> {
  const text = await answer.text();
  const isProblem = answer.headers.get('content-type')?.includes('problem+json') ?? false;
  const problem = (isProblem ? JSON.parse(text) : {}) as Record<string, string>;
  const { detail = '', error = '', failure = '' } = problem;
  const made = errors[error]?.(detail, decodeURIComponent(path.split(/[/?]/)[2] ?? ''), failure);
  if (made !== undefined || isProblem) return made ?? new RequestRefusedError(answer.status, detail);
  const said = [answer.statusText, shortened(text, 200)].filter(Boolean).join(': ');
  return new RequestRefusedError(answer.status, `${answer.url} is not answered by Reprise (${answer.status} ${said})`);
}

const saying = (error: Error, message: string): Error => Object.assign(error, { message });

const failed = (message: string, type: string): Error =>
  ApplicationFailure.create({ message, type, nonRetryable: true });

const errors: Record<string, (detail: string, id: string, failure: string) => Error> = {
  RunNotOpenError: (detail) => new RunNotOpenError(detail),
  RunExistsError: (detail, id) => saying(new RunExistsError(id), detail),
  MessageRefusedError: (detail, id) => saying(new MessageRefusedError(id, ''), detail),
  UnservedError: (detail) => new UnservedError(detail),
  WorkflowNotFoundError: (detail, id) => new WorkflowNotFoundError(detail, id, undefined),
  WorkflowFailedError: (detail, _, failure) =>
    new WorkflowFailedError('Workflow execution failed', failed(detail, failure), RetryState.NON_RETRYABLE_FAILURE),
  WorkflowUpdateFailedError: (detail, _, failure) =>
    new WorkflowUpdateFailedError('Workflow Update failed', failed(detail, failure)),
};
