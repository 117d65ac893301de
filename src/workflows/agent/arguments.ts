import { beginningOf } from '../runtime/size.ts';

/** How many characters of a call's arguments a person is shown from the beginning, and from the end if that is not all. */
const shownChars = { beginning: 6000, end: 1500 };

/**
 * A call's arguments as JSON for a person who decides about it. What would be invisible, or would show the text in another
 * order than it has, stands there as JSON's escape. Of long ones a notice stands in place of the middle.
 */
export function shownArguments(input: Record<string, unknown>): string {
  const text = visible(JSON.stringify(input, undefined, 2));
  const left = text.length - shownChars.beginning - shownChars.end;
  if (left <= 0) return text;
  const [first, last] = [
    beginningOf(text, shownChars.beginning),
    text.slice(-shownChars.end).replace(/^[\uDC00-\uDFFF]/, ''),
  ];
  return `${first}\n[… ${left} CHARACTERS ARE LEFT OUT HERE …]\n${last}`;
}

/** The whole arguments that `shownArguments` shows; undefined where it has left out some. */
export function argumentsIn(text: string): Record<string, unknown> | undefined {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return undefined;
  }
}

/**
 * Controls but tabs and ends of lines, soft hyphens, marks and characters without width or of another direction, letters
 * that show as nothing or as a space, tags.
 */
const invisible =
  // oxlint-disable-next-line no-control-regex
  /[\u034F\u17B4\u17B5\u007F-\u009F\u00AD\u061C\u115F\u1160\u180E\u200B-\u200F\u2028-\u202E\u2060-\u206F\u2800\u3164\uFEFF\uFFA0\uFFF9-\uFFFB\0-\x08\x0B-\x1F]|\uDB40[\uDC00-\uDFFF]/g;

/** A text in which nothing is invisible, and nothing taken out as what would steer a terminal. */
export const visible = (text: string): string =>
  text.replace(invisible, (found) =>
    Array.from({ length: found.length }, (_, at) => `\\u${found.charCodeAt(at).toString(16).padStart(4, '0')}`).join(
      '',
    ),
  );
