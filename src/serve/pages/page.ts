import { createHash } from 'node:crypto';
import type { Context } from 'hono';
import { raw } from 'hono/html';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { utcText } from '../../workflows/runtime/duration.ts';
import type { Problem } from '../problems.ts';
import type { ServeEnv } from '../served.ts';
import { html, type Html } from './html.ts';

/** The style of all pages: one column that fits a telephone, light or dark as its reader has it, and plain on paper. */
const style = `
:root { color-scheme: light dark; --ink: #1b1f24; --paper: #fff; --faint: #57606a; --line: #d0d7de; --soft: #f3f5f7;
  --link: #0550ae; --alert: #a40e26; --wait: #7a4b00; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6edf3; --paper: #0d1117; --faint: #9aa4af; --line: #3d444d; --soft: #161b22; --link: #6cb6ff;
    --alert: #ff9492; --wait: #f0b72f; }
}
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 0 1rem 2rem; max-width: 50rem; background: var(--paper); color: var(--ink);
  font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
nav { display: flex; flex-wrap: wrap; gap: 0 1.25rem; border-bottom: 1px solid var(--line); }
nav a, .act, summary { display: inline-block; padding: .6rem 0; }
summary { display: list-item; }
a { color: var(--link); }
h1 { font-size: 1.35rem; line-height: 1.3; margin: 1rem 0 .5rem; }
h2 { font-size: 1.1rem; margin: 1.75rem 0 .5rem; border-bottom: 1px solid var(--line); }
h3 { font-size: 1rem; margin: 1.25rem 0 .25rem; color: var(--faint); }
ul { list-style: none; margin: 0; padding: 0; }
li { margin: 0 0 1rem; }
p { margin: .25rem 0; }
.facts, footer { color: var(--faint); font-size: .9rem; }
.what { margin-top: .9rem; }
.waits { color: var(--wait); }
.problem { color: var(--alert); font-weight: 600; white-space: pre-wrap; display: block; }
.done { border: 2px solid var(--link); border-radius: .4rem; padding: .5rem .75rem; margin: 1rem 0; }
.text, pre { white-space: pre-wrap; background: var(--soft); border-radius: .4rem; padding: .5rem .75rem; margin: .25rem 0; }
pre { font: .9rem/1.45 ui-monospace, monospace; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: start; padding: .3rem .75rem .3rem 0; border-bottom: 1px solid var(--line); font-weight: 400; }
label, legend { display: block; font-weight: 600; margin: 1rem 0 .25rem; }
textarea, select, input { width: 100%; font: inherit; padding: .5rem; color: inherit; background: var(--paper);
  border: 1px solid var(--faint); border-radius: .4rem; }
button { font: inherit; min-height: 2.75rem; padding: .5rem 1.1rem; margin: .75rem .5rem 0 0; border-radius: .4rem;
  border: 1px solid var(--faint); color: inherit; background: var(--soft); cursor: pointer; }
button.first { background: var(--link); border-color: var(--link); color: var(--paper); }
:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
footer { margin-top: 2rem; border-top: 1px solid var(--line); padding-top: .5rem; }
@media print {
  nav, .act, .done, footer a { display: none; }
  body { max-width: none; padding: 0; }
  .text, pre { background: none; border: 1px solid #bbb; }
  details:not([open])::details-content { content-visibility: visible; }
}
`;

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
