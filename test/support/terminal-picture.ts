import { writeFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Browser } from './browser.ts';

const escaped = (text: string): string => text.replace(/[&<>]/g, (sign) => `&#${sign.charCodeAt(0)};`);

/** What a terminal shows without its colors. */
// oxlint-disable-next-line no-control-regex
export const plainText = (shown: string): string => shown.replace(/\x1B\[[\d;]*m/g, '').replaceAll('\r', '');

const styles: Record<string, string> = { '1': 'font-weight: bold', '2': 'opacity: 0.6', '33': 'color: #e5c07b' };

/** What a terminal shows, as HTML. It knows the emphasis that commands use, and no other escapes. */
function htmlOf(shown: string): string {
  // oxlint-disable-next-line no-control-regex
  const parts = shown.replaceAll('\r', '').split(/\x1B\[(\d+)m/);
  return parts
    .map((part, index) => {
      if (index % 2 === 0) return escaped(part);
      return styles[part] === undefined ? '</span>' : `<span style="${styles[part]}">`;
    })
    .join('');
}

/**
 * Pictures what a terminal shows.
 *
 * @param file where the picture goes; undefined: nowhere
 * @returns the text that the picture shows
 */
export async function pictureOf(shown: string, columns: number, file: string | undefined): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'reprise-picture-'));
  const lines = plainText(shown).trimEnd().split('\n').length;
  const [width, height] = [columns * 9 + 40, lines * 20 + 40];
  const browser = await Browser.open(width, height);
  try {
    await browser.resize(width, height);
    const page = join(folder, 'terminal.html');
    const style = 'margin: 20px; background: #1e1e1e; color: #d4d4d4; font: 15px/20px DejaVu Sans Mono, monospace';
    const html = `<!doctype html><meta charset="utf-8"><body style="${style}"><pre style="margin: 0; font: inherit">${htmlOf(shown.trimEnd())}</pre>`;
    writeFileSync(page, html);
    await browser.goTo(`file://${page}`);
    await browser.shows(plainText(shown).trim().split('\n')[0] ?? '');
    if (file !== undefined) await browser.picture(file);
    return await browser.evaluate<string>('document.body.innerText');
  } finally {
    await browser.close();
    rmSync(folder, { recursive: true, force: true });
  }
}
