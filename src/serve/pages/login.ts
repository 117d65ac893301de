import type { Context } from 'hono';
import { deleteCookie, getCookie, setCookie } from 'hono/cookie';
import { isFormToken, issue } from '../access.ts';
import { cookieName, type ReadToken } from '../door.ts';
import { HttpProblem } from '../problems.ts';
import type { Served, ServeEnv } from '../served.ts';
import { formKit } from './forms.ts';
import { html } from './html.ts';
import { answerPage } from './page.ts';

/** How long a login lasts, in milliseconds. */
const lastsMs = 7 * 86_400_000;

/** Where a login leads: a page of this server, or `/` where the address names another, in whichever way browsers read it. */
export function nextOf(next: string | undefined): string {
  if (next === undefined || !isOwn.test(next)) return '/';
  const { pathname, search } = new URL(next, 'http://here');
  return isOwn.test(pathname) ? pathname + search : '/';
}

/** A path: browsers take two slashes, and a backslash, for the beginning of another server's name, and leave out controls. */
const isOwn = /^\/(?![/\\])[^\\\0-\x20\x7F]*$/;

/**
 * Logs in by a token, whose holder has a cookie from then on that lets no more and lasts no longer. By a link of a foreign page
 * nobody is logged in who has not said so: what they then type would be read by whoever has that token too.
 */
export function logIn(c: Context<ServeEnv>, served: Served, read: ReadToken, { next, token }: Wish): Response {
  const { owner, url } = served;
  // To browsers another port of this machine, and another name of the same domain, is the same site.
  const isForeign = c.req.method === 'GET' && /^(?:cross|same)-site$/.test(c.req.header('sec-fetch-site') ?? '');
  if (token === undefined || isForeign) return loginPage(c, served, { next, token });
  try {
    const { grant, until = Infinity } = read(token.trim());
    const end = Math.min(until, Date.now() + lastsMs);
    setCookie(c, cookieName(url), issue(owner, grant, end), {
      httpOnly: true,
      sameSite: 'Lax',
      path: '/',
      secure: url.startsWith('https:'),
      maxAge: Math.floor((end - Date.now()) / 1000),
    });
  } catch (error) {
    if (!(error instanceof HttpProblem)) throw error;
    return loginPage(c, served, { next }, error);
  }
  return c.redirect(nextOf(next), 303);
}

type Wish = Partial<Record<'next' | 'token', string | undefined>>;

function loginPage(c: Context<ServeEnv>, { typed }: Served, { next, token = '' }: Wish, wrong?: HttpProblem): Response {
  const problem = wrong?.status === 401 ? 'This token opens nothing here.' : wrong?.message;
  const body = html`<form method="post" action="/login">
    <input type="hidden" name="next" value="${nextOf(next)}" />
    <label for="token">Token</label>
    ${problem !== undefined && html`<span class="problem" id="token-problem">${problem}</span>`}
    <input
      id="token"
      name="token"
      type="password"
      value="${token}"
      autocomplete="current-password"
      required
      ${problem !== undefined && html`aria-invalid="true" aria-describedby="token-problem"`}
    />
    <p class="facts"><code>${typed('reprise token')}</code> prints it where the server runs.</p>
    <button class="first">Log in</button>
  </form>`;
  return answerPage(c, { title: 'Log in', body, status: wrong?.status ?? 200, headers: wrong?.headers ?? {} });
}

export const logoutPage = (c: Context<ServeEnv>, served: Served): Response =>
  answerPage(c, {
    title: 'Log out',
    body: html`<form method="post" action="/logout">
      ${formKit(c, served).token}<button class="first">Log out</button>
    </form>`,
  });

/** @param form the token of the form @throws `HttpProblem` where a foreign page may have sent it */
export function logOut(c: Context<ServeEnv>, { owner, url }: Served, form: string | undefined): Response {
  const cookie = getCookie(c, cookieName(url));
  if (cookie !== undefined && !isFormToken(owner, cookie, form)) throw foreignForm();
  deleteCookie(c, cookieName(url), { path: '/' });
  return c.redirect('/login', 303);
}

export const foreignForm = (): HttpProblem =>
  new HttpProblem(
    403,
    'This form belongs to another login. Go back, keep what you have typed, and open the form again',
  );
