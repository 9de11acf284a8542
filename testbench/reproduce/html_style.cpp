// SPDX-License-Identifier: Apache-2.0
#include "testbench/reproduce/html_style.h"

namespace t3 {

const char* const kPageStyle = R"(
:root { color-scheme: light; --text: #202020; --quiet: #505050; --page: #fff; --line: #d8d8d8;
        --panel: #f4f5f7; --link: #0b4f9c; --bad: #fbe3e3; --bad-edge: #c00000; }
@media screen and (prefers-color-scheme: dark) {
  :root { color-scheme: dark; --text: #e4e4e4; --quiet: #b0b0b0; --page: #16181b; --line: #3a3d42;
          --panel: #202327; --link: #8cc2ff; --bad: #4a1f1f; --bad-edge: #ff7070; }
  img { filter: invert(0.91) hue-rotate(180deg); }
}
body { font: 15px/1.5 "DejaVu Sans", Verdana, system-ui, sans-serif; color: var(--text);
       background: var(--page); max-width: 1180px; margin: 2em auto; padding: 0 1em; }
a { color: var(--link); }
h1 { font-size: 1.6em; line-height: 1.25; }
h2 { font-size: 1.2em; margin-top: 2.4em; padding-top: 0.6em; border-top: 1px solid var(--line); }
nav, .origin { background: var(--panel); border-radius: 6px; padding: 0.6em 1.2em; margin: 1em 0; }
nav p { margin: 0.2em 0; font-weight: bold; }
nav ol { margin: 0.3em 0; columns: 22em; }
nav li { break-inside: avoid; }
figure { margin: 1em 0; }
img { width: 100%; height: auto; display: block; }
figcaption, .note { color: var(--quiet); font-size: 0.9em; }
figcaption p { margin: 0.4em 0; }
dl { font-size: 0.9em; margin: 0.8em 0; }
dl div { display: grid; grid-template-columns: 13em 1fr; gap: 0 1em; padding: 0.15em 0; }
dt { font-weight: bold; overflow-wrap: anywhere; } dd { margin: 0; overflow-wrap: anywhere; }
.wide { overflow-x: auto; max-width: 100%; margin: 0.8em 0; }
table { border-collapse: collapse; font-size: 0.9em; font-variant-numeric: tabular-nums; }
caption { text-align: left; color: var(--quiet); padding: 0.3em 0; }
th, td { padding: 0.15em 0.8em; text-align: right; border-bottom: 1px solid var(--line); }
th { text-align: left; font-weight: normal; }
tbody th { white-space: nowrap; }
thead th { font-weight: bold; text-align: right; vertical-align: bottom; }
th.words, td.words { text-align: left; }
td.words { min-width: 15em; }
thead button { all: unset; cursor: pointer; }
thead button:focus-visible { outline: 2px solid var(--link); }
thead button::after { content: "\a0\2195"; color: var(--quiet); font-weight: normal; }
th[aria-sort=ascending] button::after { content: "\a0\2191"; }
th[aria-sort=descending] button::after { content: "\a0\2193"; }
pre { background: var(--panel); padding: 0.6em 1em; overflow-x: auto; border-radius: 6px; }
.bad { background: var(--bad); padding: 0.5em 1em; border-left: 4px solid var(--bad-edge); }
details { margin: 0.6em 0; }
summary { cursor: pointer; font-weight: bold; }
@media screen and (max-width: 700px) {
  body { margin: 0.5em auto; }
  figure .wide img { width: 920px; max-width: none; }
  dl div { grid-template-columns: 1fr; }
  dd { margin-left: 1em; }
}
@media print {
  @page { margin: 14mm; }
  body { font-size: 10px; max-width: none; margin: 0; padding: 0; }
  h2 { break-after: avoid; margin-top: 1.6em; }
  figure, dl div, tr { break-inside: avoid; }
  figcaption, caption { break-inside: avoid; break-before: avoid; }
  .wide { overflow: visible; }
  th, td { padding: 0.1em 0.5em; }
  tbody th { white-space: normal; }
  td.words { min-width: 0; }
  thead { display: table-header-group; }
  thead button::after, .screen { display: none; }
  a { color: inherit; text-decoration: none; }
}
)";

const char* const kPageScript = R"(
for (const table of document.querySelectorAll('table')) {
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, column) => {
    const button = document.createElement('button');
    button.type = 'button';
    button.title = 'Sort by this column';
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener('click', () => {
      const turn = head.ariaSort === 'ascending' ? -1 : 1;
      const textOf = row => row.cells[column].textContent.trim();
      const order = (a, b) => {
        const x = textOf(a), y = textOf(b);
        if (x === '' || y === '') return (x === '') - (y === '');
        return turn * (isNaN(x) || isNaN(y) ? x.localeCompare(y, 'en', {numeric: true}) : x - y);
      };
      const body = table.tBodies[0];
      body.append(...[...body.rows].sort(order));
      heads.forEach(other => other.removeAttribute('aria-sort'));
      head.ariaSort = turn > 0 ? 'ascending' : 'descending';
    });
  });
}
)";

const char* const kPageScriptHash = "sha256-8MT3E3Um9/jmKMVilTGkMNiovXfDm/dCZkyi0ALBj4I=";

}  // namespace t3
