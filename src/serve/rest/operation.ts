import type { Context } from 'hono';
import { z } from 'zod';
import { checkedBy, problemText, under, type Problem } from '../../config/problems.ts';
import type { Access } from '../access.ts';
import { HttpProblem } from '../problems.ts';
import type { Served, ServeEnv } from '../served.ts';

export interface Asked<Query = unknown, Body = unknown> {
  access: Access;
  body: Body;
  c: Context<ServeEnv>;
  /** That of the run; empty where the path names none. */
  id: string;
  query: Query;
  served: Served;
}

/** What each status says, besides the problems, and with which JSON. */
export type Answers = Record<number, string | [what: string, schema: z.ZodType]>;

/** What can be asked for: it is served, and described, by one and the same schemas. */
export interface Operation<Query extends z.ZodObject = z.ZodObject, Body extends z.ZodType = z.ZodType> {
  method: 'GET' | 'POST';
  /** Below `/api/v1`, as OpenAPI writes it. A run that it names is one that the token may see. */
  path: string;
  name: string;
  what: string;
  headers?: Record<string, string>;
  query?: Query;
  body?: Body;
  /** The body as it is described, where what it must be depends on a part of it. */
  written?: z.ZodType;
  answers: Answers;
  /** What else it answers with where it does. */
  types?: string[];
  handle(asked: Asked<z.output<Query>, z.output<Body>>): Response | Promise<Response>;
}

/** Makes an operation, with the types of what its schemas take. */
export const operation = <Query extends z.ZodObject = z.ZodObject, Body extends z.ZodType = z.ZodType>(
  made: Operation<Query, Body>,
): Operation => made;

/** What a schema makes of a value. @param path of the value in the request @throws `HttpProblem` */
export function valid<T>(schema: z.ZodType<T>, value: unknown, path: PropertyKey[] = []): T {
  const checked = checkedBy(schema, value);
  if (!checked.ok) throw invalid(under(path, checked.problems));
  return checked.value;
}

export const invalid = (problems: Problem[]): HttpProblem =>
  new HttpProblem(422, problems.map((each) => problemText(each)).join('\n'));

/** Something that is on where it is named: `?open`, `?open=1`. */
export const flag = z
  .enum(['', '1', 'true', '0', 'false'])
  .optional()
  .transform((said) => said !== undefined && !['0', 'false'].includes(said));

/** For how many seconds an answer may be waited for, so that what is between client and server does not cut it off. */
const longestWait = 60;

export const waitOf = (usual: number) =>
  z.coerce
    .number()
    .min(0)
    .default(usual)
    .transform((seconds) => Math.min(seconds, longestWait))
    .describe(`Seconds to wait for the end; more than ${longestWait} are ${longestWait}.`);

/** By a refinement, since its pattern would be none to clients that are written in Python. */
export const runId = z
  .string()
  .min(1)
  .max(255)
  .refine((id) => /^(?!\.{1,2}$)[^\p{Cc}\p{Cf}\p{Cs}]*$/u.test(id), {
    error: 'an id has no control characters and no invisible ones, and is no . or ..',
  })
  .describe('It has no control characters and no invisible ones, and is no . or ..');
