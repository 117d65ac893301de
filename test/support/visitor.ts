import { parseHTML } from 'linkedom';
import { ownerToken } from './serving.ts';

type Page = ReturnType<typeof parseHTML>['document'];

/** A page as somebody sees it. */
export interface Opened {
  status: number;
  /** Where it is; after a form, where that has led. */
  path: string;
  page: Page;
  text: string;
}

/** Somebody who opens pages and sends their forms, without a browser: they keep their cookie. */
export class Visitor {
  #url: string;
  cookie = '';

  constructor(url: string) {
    this.#url = url;
  }

  /** Logs in by the address that is printed. */
  async logIn(token = ownerToken): Promise<Opened> {
    return this.open(`/login?token=${encodeURIComponent(token)}`);
  }

  /** Goes on at another server, with the same cookie, which another port does not keep apart. */
  moveTo(url: string): void {
    this.#url = url;
  }

  async open(path: string, init: RequestInit = {}): Promise<Opened> {
    const answer = await this.request(path, init);
    const next = answer.headers.get('location');
    if (next !== null) return this.open(next);
    const html = await answer.text();
    const page = parseHTML(html).document;
    return { status: answer.status, path, page, text: page.body?.textContent ?? html };
  }

  /** One request as browsers make it, whose answer is not followed. */
  async request(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = { accept: 'text/html', cookie: this.cookie, ...(init.headers as Record<string, string>) };
    const answer = await fetch(`${this.#url}${path}`, { ...init, headers, redirect: 'manual' });
    const [cookie] = answer.headers.getSetCookie();
    if (cookie !== undefined) this.cookie = cookie.split(';')[0] ?? '';
    return answer;
  }

  /** Sends the form of a page that has this button, with what is filled in. */
  async send({ page }: Pick<Opened, 'page'>, label: string, filled: Record<string, string> = {}): Promise<Opened> {
    const { body, path } = formOf(page, label, filled);
    return this.open(path, { method: 'POST', body });
  }
}

/** What a browser would send for a press of a button. */
export function formOf(page: Page, label: string, filled: Record<string, string> = {}) {
  const button = [...page.querySelectorAll('button')].find((each) => each.textContent.trim() === label);
  const form = button?.closest('form');
  if (button === undefined || form == null) throw new Error(`No button "${label}" in: ${page.body.textContent}`);
  const body = new URLSearchParams();
  for (const field of form.querySelectorAll('input, textarea, select')) {
    const name = field.getAttribute('name') ?? '';
    const own =
      field.tagName === 'TEXTAREA'
        ? typedIn(field)
        : (field.querySelector('option[selected], option') ?? field).getAttribute('value');
    body.set(name, filled[name] ?? own ?? '');
  }
  const [name, value] = [button.getAttribute('name'), button.getAttribute('value')];
  if (name !== null) body.set(name, value ?? '');
  return { path: form.getAttribute('action') ?? '', body };
}

const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };

/** What stands in a field for a text; linkedom leaves it as it is written. */
export const typedIn = (field: { textContent: string | null } | null): string =>
  (field?.textContent ?? '')
    .replace(/^\n/, '')
    .replace(/&(amp|lt|gt|quot|#39);/g, (_, name: string) => entities[name] ?? '');
