import { convert, type FormatCallback, type SelectorDefinition } from 'html-to-text';

const blocks = 'address dd details dl dt fieldset figure h1 h2 h3 h4 h5 h6 hr option p summary table title tr'.split(
  ' ',
);
const silent = 'img noscript script style svg template'.split(' ');
const oneLine = { leadingLineBreaks: 1, trailingLineBreaks: 1 };

const cell: FormatCallback = (element, walk, builder) => {
  walk(element.children, builder);
  builder.addInline(' | ');
};

const each = (selectors: string[], how: Omit<SelectorDefinition, 'selector'>): SelectorDefinition[] =>
  selectors.map((selector) => ({ selector, ...how }));

/** A line for each block: the library would add empty lines and capitals. @param addressOf a link; '' shows nothing */
export function textOfElements(html: string, addressOf: (href: string) => string): string {
  const linkBrackets: [string, string] = ['(', ')'];
  const selectors = [
    ...each(blocks, { format: 'block', options: oneLine }),
    ...each(silent, { format: 'skip' }),
    ...each(['blockquote', 'ol', 'pre'], { options: oneLine }),
    { selector: 'ul', options: { ...oneLine, itemPrefix: '- ' } },
    { selector: 'a', options: { pathRewrite: addressOf, linkBrackets, hideLinkHrefIfSameAsText: true } },
    ...each(['td', 'th'], { format: 'cell' }),
  ];
  return convert(html, { wordwrap: false, formatters: { cell }, selectors }).replaceAll('\u00A0', ' ');
}
