import { reportName, simulatedNote, type SimulatedRun } from './simulated-run.js'
import { escaped } from './xml.js'

/** Text that is already HTML: everything is escaped exactly once. */
export interface Html {
  html: string
}

export type Cell = string | number | Html

export interface PageLink {
  file: string
  title: string
}

export function htmlPage(
  run: SimulatedRun,
  pages: readonly PageLink[],
  current: PageLink,
  body: string,
): string {
  const links = pages.map(({ file, title }) =>
    file === current.file
      ? `      <li><strong>${escaped(title)}</strong></li>`
      : `      <li><a href="${escaped(file)}">${escaped(title)}</a></li>`,
  )
  return `<!DOCTYPE html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <title>${escaped(current.title)} - ${escaped(reportName(run))}</title>
  <link rel="stylesheet" href="css/report.css">
</head>
<body>
  <p class="simulated" role="note">${escaped(simulatedNote)}</p>
  <h1>${escaped(reportName(run))}</h1>
  <nav>
    <ul>
${links.join('\n')}
    </ul>
  </nav>
  <main>
    <h2>${escaped(current.title)}</h2>
${body}
  </main>
</body>
</html>
`
}

/** The first column names the row, the others are figures. */
export function htmlTable(head: readonly string[], rows: readonly (readonly Cell[])[]): string {
  if (rows.length === 0) return '    <p>Nothing of this kind was measured.</p>'
  const cells = (row: readonly Cell[]) =>
    row.map((value, index) =>
      index === 0 ? `<th scope="row">${cell(value)}</th>` : `<td>${cell(value)}</td>`,
    )
  return `    <div class="scroll"><table>
      <thead><tr>${head.map((title) => `<th scope="col">${escaped(title)}</th>`).join('')}</tr></thead>
      <tbody>
${rows.map((row) => `        <tr>${cells(row).join('')}</tr>`).join('\n')}
      </tbody>
    </table></div>`
}

/** The text as typed, with its line breaks and blank lines. */
export function textWithBreaks(text: string): Html {
  return { html: escaped(text).replaceAll('\n', '<br>\n') }
}

function cell(value: Cell): string {
  return typeof value === 'object' ? value.html : escaped(String(value))
}

export const styleSheet = `body { margin: 0 auto; max-width: 75rem; padding: 1rem; font: 16px/1.5 system-ui, sans-serif; color: #1f2328; }
.simulated { margin: 0; padding: 0.5rem 1rem; border-left: 4px solid #bf8700; background: #fff8c5; }
nav ul { display: flex; flex-wrap: wrap; gap: 0.25rem 1rem; padding: 0; list-style: none; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: 0.25rem 0.75rem; border-bottom: 1px solid #d1d9e0; text-align: right; vertical-align: top; }
th:first-child { text-align: left; font-weight: 600; }
td.text, .text td { text-align: left; }
.scroll { overflow-x: auto; }
pre { margin: 0; text-align: left; }
img { max-width: 100%; }
`
