/**
 * Turns one page into text in a thread of its own, since other people wrote it, and the time for deeply nested elements
 * grows with the square of its length. Takes the HTML as `workerData`, posts the text, and ends.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { convert, type FormatCallback, type SelectorDefinition } from 'html-to-text';

/** By default some of these get empty lines or capitals, and others share a line with what is around them. */
const blocks = 'address dd details dl dt fieldset figure h1 h2 h3 h4 h5 h6 hr option p summary table title tr'.split(
  ' ',
);
const silent = 'img noscript script style svg template'.split(' ');
const oneLine = { leadingLineBreaks: 1, trailingLineBreaks: 1 };

const cell: FormatCallback = (element, walk, builder) => {
  walk(element.children, builder);
  builder.addInline(' | ');
};

/** Keeps absolute addresses only, since addresses within the site would make menus long. */
const absolute = (href: string): string => (/^https?:/i.test(href) ? href : '');

const each = (selectors: string[], how: Omit<SelectorDefinition, 'selector'>): SelectorDefinition[] =>
  selectors.map((selector) => ({ selector, ...how }));

const text = convert(workerData as string, {
  wordwrap: false,
  formatters: { cell },
  selectors: [
    ...each(blocks, { format: 'block', options: oneLine }),
    ...each(silent, { format: 'skip' }),
    ...each(['blockquote', 'ol', 'pre'], { options: oneLine }),
    { selector: 'ul', options: { ...oneLine, itemPrefix: '- ' } },
    { selector: 'a', options: { pathRewrite: absolute, linkBrackets: ['(', ')'] } },
    ...each(['td', 'th'], { format: 'cell' }),
  ],
});
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has none
parentPort?.postMessage(text.replaceAll('\u00A0', ' '));
