import { textOfElements } from '../../../util/text/elements.ts';

/** The words of a message that is a page, without pictures and without the addresses of its links, which trackers make long. */
export function pageText(html: string): string {
  const text = textOfElements(html, () => '');
  const plain = text.replaceAll(/(?:[ \t]*\|)+[ \t]*$/gm, '').replaceAll(/\n{3,}/g, '\n\n');
  return `[the words of message.html]\n${plain.trim()}`;
}
