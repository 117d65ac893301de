/** What is not read of how a workbook looks. @param parts its parts by their names */
export function looksNotRead(parts: ReadonlyMap<string, Buffer>): string[] {
  const holds = (name: RegExp, pattern: RegExp): boolean =>
    [...parts].some(([each, content]) => name.test(each) && pattern.test(content.toString('latin1')));
  return [
    holds(sheets, /<(?:\w+:)?(conditionalFormatting|conditional-format)[ >]/) &&
      'colours that come from rules (conditional formatting) are not read',
    holds(sheets, /<(?:\w+:)?(dataValidation|content-validation)[ >]/) &&
      'which values cells may have (data validation) is not read',
    (holds(sheets, pageEdge) || hasPageEdge(parts.get('styles.xml'))) &&
      'headers and footers of printed pages are not read',
    holds(/^(xl\/styles|content)\.xml$/i, struck) && 'some cells are struck out, and read like the others',
    holds(sheets, raised) && 'some letters stand above or below their line, and are read like the others: 10⁶ as 106',
    holds(/^xl\/styles\.xml$/i, /<(\w+:)?font>(?:(?!<\/?\1font>).)*<\1color rgb="(?!FF000000)/s) &&
      'colours of text are not read, only those of cells',
  ].filter((note) => note !== false);
}

const sheets = /^(xl\/worksheets\/[^/]+|content)\.xml$/i;

/** Programs set the sheet's name and the page's number by themselves. */
const pageEdge =
  /<(?:\w+:)?(odd|even|first)(Header|Footer)>(?:Page |&amp;(?:&quot;[^&]*&quot;|\d+(?!\d)|[A-Z]))*(?!Page |&amp;)[^<]/;

const struck = /<(?:\w+:)?strike(?: val="(?:1|true)")?\s*\/>|text-line-through-style="solid"/;
const raised = /text-position="(super|sub|-?[\d.]*[1-9])|<(\w+:)?is>(?:(?!<\/?\2is>).)*<\2vertAlign /s;

/** Whether the printed pages of an .ods say more than programs set by themselves: names, days, and the word before a page's number. */
function hasPageEdge(styles: Buffer | undefined): boolean {
  const edges = styles
    ?.toString('utf8')
    .match(/<style:((?:header|footer)(?:-left|-first)?)(?: [^<>]*[^/<>])?>(?:(?!<style:\1[ >]).)*?<\/style:\1>/gs);
  return (edges ?? []).some((edge) => {
    const said = edge
      .replaceAll(/(?<![^\s<>])[^\s<>]+\s*(?:<text:s\/>)?(?=<text:page-(?:number|count)\b)/g, '')
      .replaceAll(/<text:(page-number|page-count|sheet-name|title|date|time|file-name)\b[^<>]*>[^<]*<\/text:\1>/g, '')
      .replaceAll(/<[^<>]*>/g, '');
    return !/^<[^>]*display="false"/.test(edge) && /[\p{L}\p{N}]/u.test(said);
  });
}
