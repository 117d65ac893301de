import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

/** The path of the first browser of these on the PATH; undefined: there is none. */
export const browserPath: string | undefined = ['chromium', 'chromium-browser', 'google-chrome']
  .map((name) => spawnSync('which', [name], { encoding: 'utf8' }).stdout.trim())
  .find((path) => path !== '');

/** How long a page may take to show what is waited for, in milliseconds. */
const patience = 120_000;

interface Answer {
  id?: number;
  result?: Record<string, unknown>;
  error?: { message: string };
}

/** A real browser with one page, driven over the DevTools protocol (https://chromedevtools.github.io/devtools-protocol). */
export class Browser {
  readonly #process: ChildProcess;
  readonly #socket: WebSocket;
  readonly #folder: string;
  readonly #waiting = new Map<number, (answer: Answer) => void>();
  #calls = 0;

  private constructor(process: ChildProcess, socket: WebSocket, folder: string) {
    this.#process = process;
    this.#socket = socket;
    this.#folder = folder;
    socket.addEventListener('message', ({ data }) => {
      const answer = JSON.parse(String(data)) as Answer;
      if (answer.id !== undefined) this.#waiting.get(answer.id)?.(answer);
    });
  }

  /** @param width of the window, in pixels, as is `height` */
  static async open(width: number, height: number): Promise<Browser> {
    const folder = mkdtempSync(join(tmpdir(), 'reprise-browser-'));
    const words = ['--headless=new', '--no-sandbox', '--disable-gpu', '--remote-debugging-port=0'];
    const child = spawn(
      browserPath ?? 'chromium',
      [...words, `--user-data-dir=${folder}`, `--window-size=${width},${height}`, 'about:blank'],
      { stdio: 'ignore' },
    );
    const portFile = join(folder, 'DevToolsActivePort');
    const deadline = Date.now() + patience;
    while (!existsSync(portFile) || readFileSync(portFile, 'utf8') === '') {
      if (Date.now() > deadline) throw new Error('The browser does not start');
      await pause(50);
    }
    const [port] = readFileSync(portFile, 'utf8').split('\n');
    const pages = (await (await fetch(`http://127.0.0.1:${port}/json/list`)).json()) as Array<{
      type: string;
      webSocketDebuggerUrl: string;
    }>;
    const page = pages.find(({ type }) => type === 'page');
    const socket = new WebSocket(page?.webSocketDebuggerUrl ?? '');
    await once(socket, 'open');
    return new Browser(child, socket, folder);
  }

  async goTo(url: string): Promise<void> {
    await this.#send('Page.navigate', { url });
  }

  /** The value of an expression in the page. */
  async evaluate<T>(expression: string): Promise<T> {
    const { result } = await this.#send('Runtime.evaluate', { expression, returnByValue: true });
    return (result as { value: T }).value;
  }

  /** Waits until the text of the page, or of a frame in it, holds this. @throws with the text that it shows instead */
  async shows(text: string): Promise<void> {
    const frames = "[...document.querySelectorAll('iframe')].map((frame) => frame.contentDocument)";
    const holds = `(each) => each?.body?.innerText.includes(${JSON.stringify(text)})`;
    await this.#until(`[document, ...${frames}].some(${holds})`, `text "${text}"`);
  }

  /** Clicks in the middle of the first element that this selector finds and whose text holds `text`. */
  async click(selector: string, text = ''): Promise<void> {
    const found = clickable(selector, text);
    await this.#until(`${found} !== undefined`, `element ${selector} "${text}"`);
    const place = await this.#restingPlace(found);
    for (const type of ['mousePressed', 'mouseReleased'])
      await this.#send('Input.dispatchMouseEvent', { type, ...place, button: 'left', clickCount: 1 });
  }

  /** Whether within three seconds there is such an element that can be clicked. */
  async comes(selector: string, text = ''): Promise<boolean> {
    for (let look = 0; look < 30; look++) {
      if (await this.evaluate<boolean>(`${clickable(selector, text)} !== undefined`)) return true;
      await pause(100);
    }
    return false;
  }

  /** Where an element is once it moves no more: menus and dialogs slide in. */
  async #restingPlace(found: string): Promise<{ x: number; y: number }> {
    const place =
      `(() => { const e = ${found}; e.scrollIntoView({ block: 'center' }); const r = e.getBoundingClientRect(); ` +
      `return { x: r.x + r.width / 2, y: r.y + r.height / 2 }; })()`;
    let before = await this.evaluate<{ x: number; y: number }>(place);
    for (;;) {
      await pause(200);
      const now = await this.evaluate<{ x: number; y: number }>(place);
      if (now.x === before.x && now.y === before.y) return now;
      before = now;
    }
  }

  /** Types into what has the focus. */
  async type(text: string): Promise<void> {
    await this.#send('Input.insertText', { text });
  }

  /** Gives the page exactly this size, in pixels: the window takes some of its own for itself. */
  async resize(width: number, height: number): Promise<void> {
    await this.#send('Emulation.setDeviceMetricsOverride', { width, height, deviceScaleFactor: 1, mobile: false });
  }

  /** Saves what the window shows as a PNG. */
  async picture(file: string): Promise<void> {
    const { data } = await this.#send('Page.captureScreenshot', { format: 'png' });
    writeFileSync(file, Buffer.from(String(data), 'base64'));
  }

  async close(): Promise<void> {
    this.#socket.close();
    const gone = once(this.#process, 'exit');
    this.#process.kill();
    await gone;
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 5 });
  }

  async #until(expression: string, what: string): Promise<void> {
    const deadline = Date.now() + patience;
    while ((await this.evaluate(expression)) !== true) {
      if (Date.now() > deadline) {
        const text = await this.evaluate<string>('document.body.innerText');
        throw new Error(`The page does not show the ${what}. It shows:\n${text.slice(0, 2000)}`);
      }
      await pause(100);
    }
  }

  async #send(method: string, params: object): Promise<Record<string, unknown>> {
    const id = ++this.#calls;
    const answer = new Promise<Answer>((resolve) => this.#waiting.set(id, resolve));
    this.#socket.send(JSON.stringify({ id, method, params }));
    const { result, error } = await answer;
    this.#waiting.delete(id);
    if (error !== undefined) throw new Error(`${method}: ${error.message}`);
    return result ?? {};
  }
}

/** An expression for the first element that this selector finds, whose text holds `text`, and that can be clicked. */
const clickable = (selector: string, text: string): string =>
  `[...document.querySelectorAll(${JSON.stringify(selector)})].find((each) => ` +
  `each.getClientRects().length > 0 && !each.disabled && each.textContent.includes(${JSON.stringify(text)}))`;
