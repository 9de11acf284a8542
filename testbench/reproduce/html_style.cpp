// SPDX-License-Identifier: Apache-2.0
#include "testbench/reproduce/html_style.h"

#include "testbench/reproduce/palette.h"

namespace t3 {

namespace {

constexpr const char* kLayout = R"(
body { font: 16px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "DejaVu Sans",
       sans-serif; color: var(--text); background: var(--page); max-width: 1060px;
       margin: 2.5em auto 4em; padding: 0 1em; }
a { color: var(--link); text-underline-offset: 0.15em; }
h1 { font-size: 1.75em; line-height: 1.2; margin: 0 0 0.4em; letter-spacing: -0.01em; }
h2 { font-size: 1.25em; line-height: 1.3; margin: 3em 0 0.6em; }
p, dl { max-width: 46em; }
p { margin: 0.6em 0; }
.lead { color: var(--quiet); }
.conclusions { list-style: none; padding: 0; margin: 1.2em 0; }
.conclusions li { padding: 0.45em 0; border-top: 1px solid var(--line);
                  font-variant-numeric: tabular-nums; text-wrap: pretty; }
.conclusions li:last-child { border-bottom: 1px solid var(--line); }
.conclusions + .note { margin-bottom: 1.6em; }
nav, .origin { background: var(--panel); border-radius: 8px; padding: 0.9em 1.3em; margin: 2em 0; }
nav p { margin: 0; font-weight: 600; }
nav ol { margin: 0.4em 0 0; padding-left: 1.4em; columns: 22em; }
nav li { break-inside: avoid; padding: 0.1em 0; }
figure { margin: 1em 0; }
figure svg { width: 100%; height: auto; display: block; }
figure svg text { font-family: system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans",
                  "DejaVu Sans", sans-serif; font-variant-numeric: tabular-nums; }
.narrow-figure { display: none !important; }
figcaption { color: var(--quiet); font-size: 0.9em; }
.note { color: var(--quiet); font-size: 0.9em; }
dl { font-size: 0.9em; margin: 0.8em 0; }
dl div { display: grid; grid-template-columns: 11em 1fr; gap: 0 1em; padding: 0.2em 0; }
dt { font-weight: 600; overflow-wrap: anywhere; } dd { margin: 0; overflow-wrap: anywhere; }
.wide { overflow-x: auto; max-width: 100%; margin: 1em 0; }
.wide tbody th:first-child { position: sticky; left: 0; background: var(--page); }
.few { margin: 1em 0; }
table { border-collapse: collapse; font-size: 0.9em; font-variant-numeric: tabular-nums; }
caption { text-align: left; color: var(--quiet); padding: 0.3em 0; }
th, td { padding: 0.3em 1em 0.3em 0; text-align: right; border-bottom: 1px solid var(--line);
         vertical-align: baseline; }
th { text-align: left; font-weight: normal; }
tbody th { white-space: nowrap; }
thead th { font-weight: 600; text-align: right; vertical-align: bottom; }
th.words, td.words { text-align: left; }
td.words { min-width: 15em; }
thead button { all: unset; cursor: pointer; }
thead button:focus-visible { outline: 2px solid var(--link); }
thead button::after { content: "\a0\2195"; color: var(--quiet); font-weight: normal; }
th[aria-sort=ascending] button::after { content: "\a0\2191"; }
th[aria-sort=descending] button::after { content: "\a0\2193"; }
pre { background: var(--panel); padding: 0.8em 1.2em; white-space: pre-wrap; overflow-wrap: anywhere;
      border-radius: 8px; }
.bad { background: var(--bad); padding: 0.6em 1em; border-left: 4px solid var(--bad-edge); }
details { margin: 0.6em 0; }
summary { cursor: pointer; font-weight: 600; }
.modes summary { font-weight: normal; }
@media screen and (max-width: 760px) {
  body { margin: 1em auto 3em; }
  h1 { font-size: 1.45em; }
  .wide-figure { display: none !important; }
  .narrow-figure { display: block !important; max-width: 560px; }
  dl div { grid-template-columns: 1fr; }
  dd { margin-left: 1em; }
}
@media screen and (max-width: 960px) {
  /* A row of a table that says things becomes a small list, each cell behind its heading. */
  .few table, .few tbody, .few tr, .few caption { display: block; }
  .few thead { display: none; }
  .few tr { padding: 0.5em 0; border-bottom: 1px solid var(--line); }
  .few th, .few td { display: grid; grid-template-columns: 1fr auto; gap: 0 1em; padding: 0.1em 0;
                     border: 0; white-space: normal; text-align: right; }
  .few tbody th { display: block; font-weight: 600; text-align: left; }
  .few td::before { content: attr(data-of); color: var(--quiet); text-align: left; }
  .few td.words { grid-template-columns: 7em 1fr; min-width: 0; text-align: left; }
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

}  // namespace

std::string pageStyle() {
  return "\n:root { color-scheme: light; " + inkVariables(false) +
         "--panel: #f5f6f8; --link: #0b4f9c; --bad: #fbe3e3; --bad-edge: #c00000; }\n"
         "@media screen and (prefers-color-scheme: dark) {\n  :root { color-scheme: dark; " +
         inkVariables(true) +
         "--panel: #1f2226; --link: #8cc2ff; --bad: #4a1f1f; --bad-edge: #ff6b6b; }\n}" + kLayout;
}

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
