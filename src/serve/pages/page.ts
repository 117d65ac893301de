import { createHash } from 'node:crypto';
import type { Context } from 'hono';
import { raw } from 'hono/html';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { utcText } from '../../workflows/runtime/duration.ts';
import type { Problem } from '../problems.ts';
import type { ServeEnv } from '../served.ts';
import { html, type Html } from './html.ts';
import { style } from './style.ts';

/** After how many seconds a page of what goes on is asked for again. */
const refreshSeconds = 10;

/** As the browser hashes it, so that no formatter may add a space. */
const styleElement = raw(`<style>${style}</style>`);
const styleHash = createHash('sha256').update(style).digest('base64');

/**
 * What every page tells the browser besides. It runs nothing, loads nothing but its own style, sends forms only here, and is
 * shown in no other page. Forms must name their origin, which they do not under the door's policy; and going back to a form
 * finds what was typed, which it would not if the page were not stored.
 */
const pageHeaders = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': [
    "default-src 'none'",
    `style-src 'sha256-${styleHash}'`,
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'referrer-policy': 'same-origin',
  'cache-control': 'private, no-cache',
};

interface Page {
  title: string;
  body: Html | Html[];
  /** Whether it is of something that goes on, so that it is made again; then nothing may be typed into it. */
  isLive?: boolean;
  status?: number;
  headers?: Record<string, string>;
}

const links = html`<nav aria-label="Pages">
  <a href="/">Runs</a> <a href="/inbox">Inbox</a> <a href="/start">Start</a> <a href="/logout">Log out</a>
</nav>`;

/** Answers with a page. One that refreshes does so by a header, and by its link no more. */
export function answerPage(
  c: Context<ServeEnv>,
  { body, headers = {}, isLive = false, status = 200, title }: Page,
): Response {
  const isStill = c.req.query('still') !== undefined;
  const { pathname } = new URL(c.req.url);
  const refresh = isLive && !isStill ? { refresh: `${refreshSeconds}; url=${pathname}` } : {};
  const stop = html`; it is made again each ${refreshSeconds} s. <a href="?still">Leave it as it is</a>`;
  const again = html`. <a href="${pathname}">Follow it again</a>`;
  const text = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title} · Reprise</title>
        ${styleElement}
      </head>
      <body>
        <header>${c.get('access') !== undefined && links}</header>
        <main>
          <h1>${title}</h1>
          ${body}
        </main>
        <footer>Made at ${utcText(new Date().toISOString())}${isLive && (isStill ? again : stop)}</footer>
      </body>
    </html>`;
  for (const [name, value] of Object.entries({ ...pageHeaders, ...refresh, ...headers })) c.header(name, value);
  return c.body(text.toString(), status as ContentfulStatusCode);
}

/** Whether a client shows pages, as browsers do. */
export const takesPages = ({ req }: Context): boolean => req.header('accept')?.includes('text/html') ?? false;

/** An error as a page. Whoever has not logged in is led to where one does, and from there to where they wanted to go. */
export function errorPage(c: Context<ServeEnv>, { detail, status, title }: Problem, headers: Record<string, string>) {
  if (status === 401 && c.req.method === 'GET') {
    const { pathname, search } = new URL(c.req.url);
    return c.redirect(`/login?next=${encodeURIComponent(pathname + search)}`, 303);
  }
  const over = html`<p>
    Your login is over. <a href="/login">Log in</a>, and open the form again; going back shows what you have typed.
  </p>`;
  const problem = html`<p class="problem">${detail}</p>`;
  // Somebody else was quicker: what has happened is no error of whoever reads it, and stands in the title.
  if (status === 409) {
    const [run] = /^\/runs\/[^/]+(?=\/)/.exec(new URL(c.req.url).pathname) ?? [];
    const body = html`${run !== undefined && html`<p><a href="${run}">The run</a></p>`}`;
    return answerPage(c, { title: detail, status, headers, body });
  }
  return answerPage(c, { title, status, headers, body: status === 401 ? over : problem });
}
