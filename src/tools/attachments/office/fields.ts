/** A link that is a field, as Outlook and older programs write it. */
const linkField =
  /<w:instrText[^<>]*>\s*HYPERLINK\s+(?:"|&quot;)(\w+:[^"<&]+(?:&amp;[^"<&]+)*)(?:"|&quot;)[^<]*<\/w:instrText>/g;

/** Fields that show something, although no program keeps what: formulas, signs and numbers. */
const computed = /^\s*(EQ|SYMBOL|LISTNUM|AUTONUM(LGL|OUT)?)\b/i;

/** What stands for a field without a result: its code, as `[field: EQ \f(1,2)]`; empty if it shows nothing, as an entry of an index. */
export const codeShown = (code: string, shown = computed): string =>
  shown.test(code) ? `[field: ${code.replaceAll(/\p{Cc}/gu, ' ').trim()}]` : '';

// Here as below, nothing reaches beyond the next beginning of the same: otherwise a document of nothing but beginnings takes for ever.
const spoken = /(<w:rt>(?:(?!<w:rt>).)*?<\/w:rt>)\s*(<w:rubyBase>(?:(?!<w:rubyBase>).)*?<\/w:rubyBase>)/gs;

/** The body of a .docx with texts that Word shows and that are no texts in it: links, choices and computed fields. */
export function withFields(xml: string): string {
  const said = xml
    .replaceAll(linkField, '<w:t>[link: $1] </w:t>')
    .replaceAll(/<w:ddList>((?:(?!<w:ddList>).)*?)<\/w:ddList>/gs, (_, list: string) => `<w:t>${chosenIn(list)}</w:t>`)
    // What tells how a word is spoken stands before it.
    .replaceAll(spoken, '$2$1');
  return withCodes(said);
}

/** What is chosen from the list of an old form. Without a choice the first is. */
function chosenIn(list: string): string {
  const [, at = '0'] = /<w:result w:val="(\d+)"/.exec(list) ?? /<w:default w:val="(\d+)"/.exec(list) ?? [];
  return [...list.matchAll(/<w:listEntry w:val="([^"<]*)"/g)].map(([, entry = '']) => entry)[Number(at)] ?? '';
}

const parts = /<w:fldChar\b[^<>]*w:fldCharType="(begin|separate|end)"[^<>]*>|<w:instrText[^<>]*>([^<]*)|<w:t[ >]/g;

/** With the codes of fields that have no results. A field may stand in the code of another. */
function withCodes(xml: string): string {
  const fields: Array<{ code: string; hasResult: boolean }> = [];
  return xml.replaceAll(parts, (found: string, type: string | undefined, code: string | undefined) => {
    const field = fields.at(-1);
    if (type === 'begin') fields.push({ code: '', hasResult: false });
    else if (type === 'end') {
      fields.pop();
      const shown = field === undefined || field.hasResult ? '' : codeShown(field.code);
      return shown === '' ? found : `<w:t>${shown}</w:t>${found}`;
    } else if (field !== undefined && type === undefined) {
      if (code === undefined) field.hasResult = true;
      else field.code += code;
    }
    return found;
  });
}

/** The styles of a .docx that look in a way, such as hidden, or that are based on one that does. */
export function stylesLike(styles: string, look: RegExp): string[] {
  const all = [...styles.matchAll(/<w:style [^<>]*w:styleId="([^"]*)"(?:(?!<w:style ).)*?<\/w:style>/gs)];
  const found = new Set(all.flatMap(([style, id = '']) => (look.test(style) ? [id] : [])));
  const based = Map.groupBy(all, ([style]) => /<w:basedOn w:val="([^"]*)"/.exec(style)?.[1]);
  // What is added on the way is looked at as well.
  for (const id of found) for (const [, other = ''] of based.get(id) ?? []) found.add(other);
  return [...found];
}
