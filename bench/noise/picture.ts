const runs = [1, 2, 3, 5, 10]
const width = 640
const height = 320
const x = (run: number): number => 60 + ((run - 1) / 9) * 380
const y = (percent: number): number => 280 - percent * 2.5

/**
 * False alarms and changes found, in percent of the runs, by the number of baseline runs; as SVG, legible on light
 * and dark pages.
 *
 * @param studied rows of the table `studied`, by number of runs
 */
export function noisePicture(studied: readonly number[][]): string {
  const lines = [
    { name: 'all slower by 20%', style: 'found', values: studied.map((row) => row[6]) },
    { name: 'one of 20 slower by 50%', style: 'found dashed', values: studied.map((row) => row[2]) },
    { name: 'one of 20 slower by 20%', style: 'found dotted', values: studied.map((row) => row[1]) },
    { name: 'unchanged', style: 'alarm', values: studied.map((row) => row[0]) },
  ]
  // Names that would overlap are moved apart.
  let last = -Infinity
  const drawn = lines.map(({ name, style, values }) => {
    const points = values.map(
      (value = 0, index) => `${x(runs[index] ?? 0).toFixed(1)},${y(value).toFixed(1)}`,
    )
    const at = Math.max(y(values.at(-1) ?? 0) + 4, last + 16)
    last = at
    return `<polyline class="${style}" points="${points.join(' ')}"/><text x="${x(10) + 10}" y="${at.toFixed(1)}">${name}</text>`
  })
  const grid = [0, 25, 50, 75, 100].map(
    (percent) =>
      `<path class="grid" d="M60 ${y(percent)}H440"/><text class="scale" x="52" y="${y(percent) + 4}">${percent}%</text>`,
  )
  const ticks = runs.map((run) => `<text class="tick" x="${x(run)}" y="298">${run}</text>`)
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="Red runs in percent against the number of baseline runs">
<style>
text { font: 12px system-ui, sans-serif; fill: #1f2328 }
.scale { text-anchor: end } .tick { text-anchor: middle }
polyline { fill: none; stroke-width: 2.5 }
.found { stroke: #0969da } .alarm { stroke: #cf222e }
.dashed { stroke-dasharray: 8 4 } .dotted { stroke-dasharray: 2 4 }
.grid { stroke: #d1d9e0 }
@media (prefers-color-scheme: dark) {
  text { fill: #f0f6fc } .found { stroke: #4493f8 } .alarm { stroke: #f85149 } .grid { stroke: #3d444d }
}
</style>
${[...grid, ...ticks, ...drawn].join('\n')}
<text class="tick" x="250" y="316">runs of the baseline</text>
</svg>
`
}
