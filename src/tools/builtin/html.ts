const entities = new Map([
  ['amp', '&'],
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['apos', "'"],
  ['nbsp', ' '],
  ['ndash', '–'],
  ['mdash', '—'],
  ['hellip', '…'],
  ['copy', '©'],
]);

const silent = new Set(['script', 'style', 'noscript', 'template', 'svg']);
const blocks = new Set(
  (
    'address article aside blockquote br dd div dl dt fieldset figure footer form h1 h2 h3 h4 h5 h6 header hr ' +
    'li main nav ol p pre section table title tr ul'
  ).split(' '),
);

/**
 * The text of a page, one block a line; scripts, styles and tags left out. Links keep their address in parentheses.
 * Goes through the page once, whatever it holds: other people wrote it.
 */
export function textOfHtml(html: string): string {
  const parts: string[] = [];
  let link: string | undefined;
  let at = 0;
  while (at < html.length) {
    const open = positionOf('<', html, at);
    parts.push(html.slice(at, open).replace(/\s+/g, ' '));
    if (html.startsWith('<!--', open)) {
      at = positionOf('-->', html, open) + 3;
      continue;
    }
    const close = positionOf('>', html, open);
    const tag = html.slice(open + 1, close);
    at = close + 1;
    const name = /^\/?[a-z][a-z0-9]*/i.exec(tag)?.[0].toLowerCase() ?? '';
    if (silent.has(name)) at = endOf(name, html, at);
    else if (name === 'a') link = /\bhref="(https?:[^"]+)"/i.exec(tag)?.[1];
    else if (name === '/a' && link !== undefined) parts.push(` (${link})`);
    else if (name === '/td' || name === '/th') parts.push(' | ');
    else if (blocks.has(name.replace('/', ''))) parts.push(name === 'li' ? '\n- ' : '\n');
  }
  return decoded(parts.join(''))
    .split('\n')
    .map((line) => line.replaceAll(/ +/g, ' ').trim())
    .filter((line) => line !== '' && line !== '-')
    .join('\n');
}

function positionOf(text: string, html: string, from: number): number {
  const found = html.indexOf(text, from);
  return found === -1 ? html.length : found;
}

function endOf(name: string, html: string, from: number): number {
  const end = new RegExp(`</${name}\\s*>`, 'gi');
  end.lastIndex = from;
  return end.exec(html) === null ? html.length : end.lastIndex;
}

function decoded(text: string): string {
  return text.replace(/&(#x?[\da-f]+|\w+);/gi, (whole, name: string) => {
    if (!name.startsWith('#')) return entities.get(name.toLowerCase()) ?? whole;
    const code = /^#x/i.test(name) ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1));
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });
}
