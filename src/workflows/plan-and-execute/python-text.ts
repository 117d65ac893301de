import type { StateSummary } from '../../protocol/plan-and-execute.ts';

/* Values as Python prints them, since people search logs for the lines of the document "Retry Optimization" in that form. */

const shortEscapes: Record<string, string> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** In double quotes if the text holds single ones and no double ones. */
export function pythonString(text: string): string {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  const escaped = text.replace(/[\\']|(?! )[\p{C}\p{Z}]/gu, (sign) => {
    if (sign === "'") return quote === "'" ? "\\'" : "'";
    return shortEscapes[sign] ?? codeEscape(sign.codePointAt(0) ?? 0);
  });
  return `${quote}${escaped}${quote}`;
}

function codeEscape(code: number): string {
  const hex = (digits: number): string => code.toString(16).padStart(digits, '0');
  if (code < 0x100) return `\\x${hex(2)}`;
  return code < 0x10000 ? `\\u${hex(4)}` : `\\U${hex(8)}`;
}

/** @param most the number of texts that are printed; `...` stands for the others */
export function pythonList(texts: string[], most = texts.length): string {
  const shown = texts.slice(0, most).map(pythonString);
  return `[${[...shown, ...(texts.length > most ? ['...'] : [])].join(', ')}]`;
}

export function summaryText(summary: StateSummary): string {
  const keys = ['subtasks_completed', 'subtasks_failed', 'dead_ends'] as const;
  return `State summary: {\n${keys.map((key) => `  '${key}': ${summary[key]}`).join(',\n')}\n}`;
}
