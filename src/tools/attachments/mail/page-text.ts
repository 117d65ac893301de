import { convert, type FormatCallback } from 'html-to-text';

/** The words of a message that is a page, without pictures and without the addresses of its links, which trackers make long. */
export function pageText(html: string): string {
  const cell: FormatCallback = (element, walk, builder) => {
    walk(element.children, builder);
    builder.addInline(' | ');
  };
  const oneLine = { leadingLineBreaks: 1, trailingLineBreaks: 1 };
  const selectors = [
    ...['td', 'th'].map((selector) => ({ selector, format: 'cell' })),
    ...['tr', 'p', 'h1', 'h2', 'h3', 'table'].map((selector) => ({ selector, format: 'block', options: oneLine })),
    ...['img', 'style', 'script', 'title'].map((selector) => ({ selector, format: 'skip' })),
    { selector: 'a', options: { ignoreHref: true } },
  ];
  const text = convert(html, { wordwrap: false, formatters: { cell }, selectors }).replaceAll('\u00A0', ' ');
  const plain = text.replaceAll(/(?:[ \t]*\|)+[ \t]*$/gm, '').replaceAll(/\n{3,}/g, '\n\n');
  return `[the words of message.html]\n${plain.trim()}`;
}
