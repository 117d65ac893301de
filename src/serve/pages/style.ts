/** The style of all pages: one column that fits a telephone, light or dark as its reader has it, and plain on paper. */
export const style = `
:root { color-scheme: light dark; --ink: #1b1f24; --paper: #fff; --faint: #57606a; --line: #d0d7de; --soft: #f3f5f7;
  --link: #0550ae; --alert: #a40e26; --wait: #7a4b00; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6edf3; --paper: #0d1117; --faint: #9aa4af; --line: #3d444d; --soft: #161b22; --link: #6cb6ff;
    --alert: #ff9492; --wait: #f0b72f; }
}
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 0 1rem 2rem; max-width: 50rem; background: var(--paper); color: var(--ink);
  font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
nav { display: flex; flex-wrap: wrap; gap: 0 1.25rem; border-bottom: 1px solid var(--line); }
nav a, .act, summary { display: inline-block; padding: .6rem 0; }
summary { display: list-item; }
a { color: var(--link); }
h1 { font-size: 1.35rem; line-height: 1.3; margin: 1rem 0 .5rem; }
h2 { font-size: 1.1rem; margin: 1.75rem 0 .5rem; border-bottom: 1px solid var(--line); }
h3 { font-size: 1rem; margin: 1.25rem 0 .25rem; color: var(--faint); }
ul { list-style: none; margin: 0; padding: 0; }
li { margin: 0 0 1rem; }
p { margin: .25rem 0; }
.facts, footer { color: var(--faint); font-size: .9rem; }
.what { margin-top: .9rem; }
.waits { color: var(--wait); }
.problem { color: var(--alert); font-weight: 600; white-space: pre-wrap; display: block; }
.done { border: 2px solid var(--link); border-radius: .4rem; padding: .5rem .75rem; margin: 1rem 0; }
.text, pre { white-space: pre-wrap; background: var(--soft); border-radius: .4rem; padding: .5rem .75rem; margin: .25rem 0; }
pre { font: .9rem/1.45 ui-monospace, monospace; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: start; padding: .3rem .75rem .3rem 0; border-bottom: 1px solid var(--line); font-weight: 400; }
label, legend { display: block; font-weight: 600; margin: 1rem 0 .25rem; }
textarea, select, input { width: 100%; font: inherit; padding: .5rem; color: inherit; background: var(--paper);
  border: 1px solid var(--faint); border-radius: .4rem; }
button { font: inherit; min-height: 2.75rem; padding: .5rem 1.1rem; margin: .75rem .5rem 0 0; border-radius: .4rem;
  border: 1px solid var(--faint); color: inherit; background: var(--soft); cursor: pointer; }
button.first { background: var(--link); border-color: var(--link); color: var(--paper); }
:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
footer { margin-top: 2rem; border-top: 1px solid var(--line); padding-top: .5rem; }
@media print {
  nav, .act, .done, footer a { display: none; }
  body { max-width: none; padding: 0; }
  .text, pre { background: none; border: 1px solid #bbb; }
  details:not([open])::details-content { content-visibility: visible; }
}
`;
