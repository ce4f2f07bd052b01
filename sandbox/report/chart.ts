import { simulatedNote, reportTime, type SimulatedRun } from './simulated-run.js'
import type { Measurement } from './measurement.js'
import { spread } from './statistics.js'
import { escaped } from './xml.js'

const { floor, max, min } = Math

const width = 900
const height = 300
const margin = { left: 70, right: 20, top: 40, bottom: 40 }
const slots = 60

/** A picture of a line over the run: one value for each sixtieth of its time. */
export function chartSvg(title: string, unit: string, values: readonly number[], run: SimulatedRun): string {
  const top = max(...values, 1e-9) * 1.1
  const plotWidth = width - margin.left - margin.right
  const plotHeight = height - margin.top - margin.bottom
  const x = (index: number) => margin.left + (plotWidth * index) / (values.length - 1)
  const y = (value: number) => margin.top + plotHeight * (1 - value / top)
  const points = values.map((value, index) => `${x(index).toFixed(1)},${y(value).toFixed(1)}`).join(' ')
  const grid = [0, 0.25, 0.5, 0.75, 1].map((share) => {
    const level = (top / 1.1) * share
    const at = y(level).toFixed(1)
    return [
      `  <line x1="${margin.left}" y1="${at}" x2="${width - margin.right}" y2="${at}" stroke="#ccc"/>`,
      `  <text x="${margin.left - 8}" y="${at}" text-anchor="end" dominant-baseline="middle">${axisLabel(level)}</text>`,
    ].join('\n')
  })
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" font-family="sans-serif" font-size="12">
  <title>${escaped(title)}</title>
  <desc>${escaped(simulatedNote)}</desc>
  <rect width="${width}" height="${height}" fill="#fff"/>
  <text x="${margin.left}" y="22" font-size="15">${escaped(title)} (${escaped(unit)})</text>
${grid.join('\n')}
  <polyline points="${points}" fill="none" stroke="#1f6feb" stroke-width="2"/>
  <text x="${margin.left}" y="${height - 12}">${reportTime(run.startTime)}</text>
  <text x="${width - margin.right}" y="${height - 12}" text-anchor="end">${reportTime(run.endTime)}, simulated</text>
</svg>
`
}

/** For each sixtieth of the run, what `figure` returns for its measurements. */
export function overTime<M extends Measurement>(
  measurements: readonly M[],
  run: SimulatedRun,
  figure: (slot: M[], seconds: number) => number,
): number[] {
  const length = max(1, run.endTime - run.startTime)
  const groups = Array.from({ length: slots }, (): M[] => [])
  for (const measurement of measurements) {
    const slot = floor((measurement.time / length) * slots)
    groups[min(slots - 1, max(0, slot))]?.push(measurement)
  }
  return groups.map((group) => figure(group, length / 1000 / slots))
}

export function perSecond(slot: readonly Measurement[], seconds: number): number {
  return slot.length / seconds
}

export function meanTime(slot: readonly Measurement[]): number {
  return spread(slot.map((measurement) => measurement.runtime)).mean
}

export function errorCount(slot: readonly Measurement[]): number {
  return slot.filter((measurement) => measurement.failed).length
}

function axisLabel(value: number): string {
  return value >= 10 || value === 0 ? value.toFixed(0) : value.toFixed(2)
}
