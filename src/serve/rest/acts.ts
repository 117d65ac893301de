import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { SessionRun } from '../../client.ts';
import { assertAnswers, decidable, meantCall, meantQuestion, restartable } from '../../client/asked.ts';
import { ifFound, NotTakenError } from '../../client/errors.ts';
import { argumentsProblem } from '../../client/edited.ts';
import { TemporalRun } from '../../client/temporal/run.ts';
import { isOpen } from '../../client/way.ts';
import { maxMessageChars, type PendingQuestion } from '../../protocol/questions.ts';
import type { ToolDecision } from '../../protocol/tools/permissions.ts';
import { hashOf } from '../../util/ids.ts';
import { HttpProblem } from '../problems.ts';
import { inputOf, someInput } from './inputs.ts';
import { operation, runId, valid, waitOf, type Answers, type Asked, type Operation } from './operation.ts';
import { turnSchema } from './schemas.ts';

const said = z.string().max(maxMessageChars);
const needed = said.trim().min(1);

const decisionSchema = z
  .strictObject({
    id: z.string().min(1).optional().describe('The call; absent: the only one that waits.'),
    action: z.enum(['allow', 'deny', 'edit']),
    arguments: z.unknown().optional().describe('With edit: in place of all of them.'),
    reason: said.optional(),
    always: z.boolean().optional().describe('With allow or deny: for all later calls of the tool too.'),
  })
  .refine(({ action, always }) => !(action === 'edit' && always), {
    path: ['always'],
    message: 'goes with allow or deny; edit is about one call',
  });

const ways: Record<PendingQuestion['kind'], string[]> = {
  question: [],
  approval: ['POST …/decide or …/restart'],
  tool: ['POST …/approve'],
  key: ['the run goes on by itself once the worker has it; an empty answer goes on without it'],
};

const ofRun = z.object({ id: z.string() });

const settled = { 200: ['It is sent.', ofRun.extend({ questionId: z.string() })] } satisfies Answers;

const message = z.strictObject({
  text: z.string().trim().min(1),
  input: someInput.optional().describe('With which the session begins where none of this id is open.'),
});

const act = <Body extends z.ZodType>(
  made: Pick<Operation, 'path' | 'name' | 'what'> & { body?: Body },
  does: (asked: Asked<unknown, z.output<Body>>) => Promise<void>,
): Operation =>
  operation<z.ZodObject, Body>({
    ...made,
    method: 'POST',
    answers: { 200: ['It is sent.', ofRun] },
    async handle(asked) {
      await does(asked);
      return asked.c.json({ id: asked.id });
    },
  });

export const actOperations: Operation[] = [
  operation({
    method: 'POST',
    path: '/runs/{id}/answer',
    name: 'answerQuestion',
    what: 'Answers a question. An empty answer skips it.',
    body: z.strictObject({
      questionId: z.string().min(1).optional().describe('Absent: the only one that waits.'),
      answer: z.string(),
    }),
    answers: settled,
    async handle({ body, c, id, served: { reprise } }) {
      const run = reprise.getRun(id);
      await run.assertOpen();
      const meant = await meantQuestion(reprise, run, body.questionId, 'questionId');
      // What was meant for a question that has closed must not let a tool run.
      if (meant.pending?.kind === 'tool' && body.questionId === undefined)
        throw new NotTakenError(
          'wrong',
          `${id} asks no question: a call of ${meant.pending.tool} waits (POST …/approve)`,
        );
      assertAnswers(meant, body.answer, run, ({ kind }) => ways[kind]);
      await run.answer({ questionId: meant.questionId, answer: body.answer });
      return c.json({ id, questionId: meant.questionId });
    },
  }),
  operation({
    method: 'POST',
    path: '/runs/{id}/approve',
    name: 'approveCall',
    what: 'Decides about a tool call that waits for approval.',
    body: decisionSchema,
    answers: settled,
    async handle({ body, c, id, served: { reprise } }) {
      const run = reprise.getRun(id);
      await run.assertOpen();
      const { pending, questionId } = await meantCall(reprise, run, body.id);
      const wrong = body.action === 'edit' ? argumentsProblem(body.arguments, pending) : undefined;
      if (wrong !== undefined) throw new HttpProblem(422, `arguments: ${wrong}`);
      await run.approve({ ...body, id: questionId } as ToolDecision);
      return c.json({ id, questionId });
    },
  }),
  act(
    {
      path: '/runs/{id}/restart',
      name: 'restartRun',
      what: 'Has the work of a team, or of research, started over.',
      body: z.strictObject({ reason: needed, instructions: needed }),
    },
    async ({ body: { instructions, reason }, id, served: { reprise } }) =>
      (await restartable(reprise, id)).requestRestart(reason, instructions),
  ),
  act(
    {
      path: '/runs/{id}/decide',
      name: 'decideResearch',
      what: 'Ends the loop of a research run: `accept` goes on to the synthesis, `stop` ends without a further model call.',
      body: z.strictObject({ action: z.enum(['accept', 'stop']), note: said.optional() }),
    },
    async ({ body: { action, note }, id, served: { reprise } }) =>
      (await decidable(reprise, id)).decide({ action, ...(note !== undefined && { note }) }),
  ),
  act(
    { path: '/runs/{id}/cancel', name: 'cancelRun', what: 'Asks a run to end with the best that it has.' },
    ({ id, served: { reprise } }) => reprise.getRun(id).cancel(),
  ),
  operation({
    method: 'POST',
    path: '/runs/{id}/message',
    name: 'sendMessage',
    what: 'Takes a turn of a session. One that goes on for longer is found by sending the same again.',
    headers: { 'Idempotency-Key': 'With the text it says which turn it is: the same request again is the same turn.' },
    query: z.object({ wait: waitOf(60) }),
    body: z.preprocess((said) => (typeof said === 'string' ? { text: said } : said), message),
    written: z.union([message.shape.text.describe('The text alone.'), message]),
    answers: {
      200: ['What the turn has come to.', turnSchema],
      202: ['It goes on.', ofRun.extend({ turnId: z.string() })],
    },
    async handle(asked) {
      const { body, c, id, query } = asked;
      const turnId = c.req.header('idempotency-key') ?? randomUUID();
      const updateId = hashOf(JSON.stringify([turnId, body.text]));
      const session = await sessionOf(asked, body.input);
      const signal = AbortSignal.any([AbortSignal.timeout(query.wait * 1000), c.req.raw.signal]);
      try {
        return c.json(await session.send(body.text, updateId, signal));
      } catch (error) {
        if (error !== signal.reason) throw error;
        return c.json({ id, turnId }, 202);
      }
    },
  }),
  act(
    { path: '/runs/{id}/close', name: 'closeSession', what: 'Ends a session after the turns that were sent so far.' },
    async (asked) => (await sessionOf(asked)).close(),
  ),
  act(
    {
      path: '/runs/{id}/stopTurn',
      name: 'stopTurn',
      what: 'Ends the turn of a session that is under way with what there is.',
    },
    async (asked) => (await sessionOf(asked)).stopTurn(),
  ),
];

/** A session that is open, or that may begin. @throws `HttpProblem`; `WorkflowNotFoundError` */
async function sessionOf(asked: Asked, input?: Record<string, unknown>): Promise<SessionRun> {
  const { id, served } = asked;
  if (input !== undefined) valid(runId, id, ['id']);
  const way = new TemporalRun(served.reprise.client.workflow.getHandle(id));
  const known = await (input === undefined ? way.describe() : ifFound(way.describe()));
  if (known !== undefined && known.workflow !== 'session')
    throw new HttpProblem(422, `The run ${id} is no session: its type is ${known.workflow}`);
  if (input === undefined || (known !== undefined && isOpen(known.status))) return new SessionRun(way);
  const begun = inputOf(asked, 'session', input);
  return (await served.ready()).getSession(id, begun.input, { sign: begun.sign });
}
