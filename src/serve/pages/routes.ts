import { Hono, type Context } from 'hono';
import { getCookie } from 'hono/cookie';
import { isOpen } from '../../client/way.ts';
import { isFormToken } from '../access.ts';
import { namedConfigs } from '../configs.ts';
import { bearerIn, bodyText, cookieName, longestOpenBody, type ReadToken } from '../door.ts';
import { HttpProblem, problemOf } from '../problems.ts';
import type { Served, ServeEnv } from '../served.ts';
import { assertReached } from '../start.ts';
import { actForms, answerForm, formKit, runActs, settleForms, startForm, type Refused, type RunAct } from './forms.ts';
import { html, runPath, textBlock, type Html } from './html.ts';
import { inboxPage, runBody, runsPage, titleOf } from './run.ts';
import { foreignForm, logIn, logOut, logoutPage } from './login.ts';
import { answerPage } from './page.ts';
import { actOn, closingOf, outcomes, patiently, settle, startSent, type Outcome, type Sent } from './sent.ts';

type C = Context<ServeEnv>;

/** Pages for people, made here and without scripts. What is typed is sent from pages of its own, which never refresh. */
export function pageRoutes(served: Served, read: ReadToken): Hono<ServeEnv> {
  const { reprise } = served;
  const app = new Hono<ServeEnv>();

  app.get('/', async (c) => answerPage(c, { title: 'Runs', ...(await runsPage(served, c.get('access'))) }));
  app.get('/inbox', async (c) =>
    answerPage(c, { title: 'Inbox', body: await inboxPage(served, c.get('access')), isLive: true }),
  );

  app.get('/runs/:id', async (c) => {
    const id = reachedId(c);
    const record = await reprise.getRun(id).show({ home: served.home });
    const done = c.req.query('done') ?? '';
    const text = Object.hasOwn(outcomes, done) ? outcomes[done as Outcome] : undefined;
    const outcome = text !== undefined && html`<p class="done" role="status">${text}</p>`;
    const body = html`${outcome}${runBody(record, mayAct(c), served.typed)}`;
    return answerPage(c, { title: titleOf(record), body, isLive: isOpen(record.status) });
  });

  const startPage = (c: C, refused?: Refused): Response => {
    const configs = namedConfigs(served.configs, c.get('access'));
    return form(c, 'Start a run', startForm(formKit(c, served, refused), configs), refused);
  };
  app.get('/start', (c) => startPage(c));
  app.post('/start', async (c) => {
    const sent = await sentBy(c, served);
    const came = await tried('text', sent, () => startSent(served, c.get('access'), sent));
    return 'problem' in came ? startPage(c, came) : ledTo(c, came.id, 'started');
  });

  const settlePage = async (c: C, refused?: Refused): Promise<Response> => {
    const [id, waits] = [reachedId(c), c.req.param('question') ?? ''];
    const run = reprise.getRun(id);
    await run.assertOpen();
    const told = await patiently(reprise, async () => [await run.pendingQuestions(), await run.events()] as const);
    if (told === undefined) throw new HttpProblem(503, `No worker tells what ${id} waits for; try again in a while`);
    const [waiting, events] = told;
    const pending = waiting.find(({ questionId }) => questionId === waits);
    const kit = formKit(c, served, refused);
    if (pending !== undefined) {
      const begun = events.findLast((event) => event.type === 'started' || event.type === 'turn');
      const question = begun?.type === 'started' ? begun.task : (begun?.text ?? '');
      const way = html`<p class="facts"><a href="${runPath(id)}">The run</a>, ${id}</p>`;
      const forms = settleForms(kit, id, { ...pending, question: served.typed(pending.question) });
      return form(c, titleOf({ id, question }), html`${way}${forms}`, refused);
    }
    const closing = closingOf(events, waits);
    if (closing === undefined) throw new HttpProblem(404, `${id} has no question and no tool call ${waits}`);
    const isLate = closing.type === 'question_closed' && ['timeout', 'withdrawn'].includes(closing.how);
    const answer = closing.type === 'question_closed' ? (closing.answer ?? '') : '';
    const late = html`<p>A late answer still reaches those who ask next.</p>
      ${answerForm(kit, runPath(id, 'answer', waits))}`;
    const body = html`<p>It has closed (${closing.how}). <a href="${runPath(id)}">The run</a></p>
      ${answer !== '' && textBlock(answer)} ${isLate && late}`;
    return form(c, `${waits} waits no longer`, body, refused);
  };
  app.get('/runs/:id/answer/:question', (c) => settlePage(c));
  app.post('/runs/:id/answer/:question', async (c) => {
    const [id, waits] = [reachedId(c), c.req.param('question')];
    const sent = await sentBy(c, served);
    const field = sent['act'] === 'answer' ? 'answer' : 'reason';
    const came = await tried(field, sent, () => settle(reprise, id, waits, sent));
    return typeof came === 'string' ? ledTo(c, id, came) : settlePage(c, came);
  });

  const actPage = async (c: C, refused?: Refused): Promise<Response> => {
    const [id, act] = [reachedId(c), c.req.param('act') as RunAct];
    await assertTakes(id, act);
    return form(c, `${runActs[act].what}: ${id}`, actForms(formKit(c, served, refused), id, act), refused);
  };
  const assertTakes = async (id: string, act: RunAct): Promise<void> => {
    const type = await reprise.getRun(id).openType();
    const { of = [type] } = runActs[act];
    const those = `those that do are ${of.join(', ')}`;
    if (!of.includes(type)) throw new HttpProblem(422, `The run ${id} takes no ${act}: its type is ${type}; ${those}`);
  };
  const acting = `/runs/:id/:act{${Object.keys(runActs).join('|')}}`;
  app.get(acting, (c) => actPage(c));
  app.post(acting, async (c) => {
    const [id, act] = [reachedId(c), c.req.param('act') as RunAct];
    const sent = await sentBy(c, served);
    await assertTakes(id, act);
    const came = await tried('text', sent, () => actOn(reprise, id, act, sent));
    return typeof came === 'string' ? ledTo(c, id, came) : actPage(c, came);
  });

  app.get('/login', (c) => logIn(c, served, read, { token: c.req.query('token'), next: c.req.query('next') }));
  app.post('/login', async (c) => {
    const { next, token = '' } = await fieldsOf(c, longestOpenBody);
    return logIn(c, served, read, { token, next });
  });
  app.get('/logout', (c) => logoutPage(c, served));
  app.post('/logout', async (c) => logOut(c, served, (await fieldsOf(c, longestOpenBody))['form']));
  return app;
}

const mayAct = (c: C): boolean => c.get('access').grant.kind !== 'read';

function reachedId(c: C): string {
  const id = c.req.param('id') ?? '';
  assertReached(c.get('access'), id);
  return id;
}

/** A page with forms. @throws `HttpProblem` for whoever may only read */
function form(c: C, title: string, body: Html, refused: Refused | undefined): Response {
  if (!mayAct(c)) throw new HttpProblem(403, 'This token may only read');
  return answerPage(c, { title, body, status: refused === undefined ? 200 : 422 });
}

/** The fields that a form has sent, with lines as texts have them. */
async function fieldsOf(c: C, most?: number): Promise<Sent> {
  const entries = [...new URLSearchParams(await bodyText(c, most))];
  return Object.fromEntries(entries.map(([name, value]) => [name, value.replaceAll('\r\n', '\n')]));
}

/** The fields of a form that is known to be one of this server's. @throws `HttpProblem` where a foreign page may have sent it */
async function sentBy(c: C, { owner, url }: Served): Promise<Sent> {
  const sent = await fieldsOf(c);
  const cookie = getCookie(c, cookieName(url)) ?? '';
  if (bearerIn(c) === undefined && !isFormToken(owner, cookie, sent['form'])) throw foreignForm();
  return sent;
}

/** What has come of a form; where it was refused for a reason that is known, with what was typed. */
async function tried<T>(field: string, typed: Sent, act: () => Promise<T>): Promise<T | Refused> {
  try {
    return await act();
  } catch (error) {
    const { detail, status } = problemOf(error);
    if (status === 500) throw error;
    return { field, problem: detail, typed };
  }
}

const ledTo = (c: C, id: string, outcome: Outcome): Response => c.redirect(`${runPath(id)}?done=${outcome}`, 303);
