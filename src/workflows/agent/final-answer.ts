const marker = /FINAL_ANSWER:/i;
const leadingMarker = /^\s*FINAL_ANSWER:\s*/i;

/** Whether an action says that it is the final answer: the marker counts in any letter case, anywhere in the text. */
export function isFinalAnswer(text: string): boolean {
  return marker.test(text);
}

/** The answer without the marker that it begins with. */
export function withoutMarker(text: string): string {
  return text.replace(leadingMarker, '').trim();
}
