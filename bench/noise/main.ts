import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { text } from 'node:stream/consumers'
import { judgeEngineRuns } from './engine-runs.js'
import { plural } from '../../src/text/plural.js'
import { baselineRuns, standing, studies } from './sequences.js'
import { judgeSuggestions } from './suggestions.js'
import { tables } from './tables.js'
import { redShare } from './trial.js'

// npm run noise [-- repetitions [cores]]: measures how reliable gates that compare are, for
// docs/internals/noise.md. npm run noise -- engine: only the table of the engine's runs.
// npm run noise -- suggested: only that of suggested gates. npm run noise -- sequences [repetitions]: only those of
// runs one after the other; -- comebacks [repetitions]: only the second of them.

const page = 'docs/internals/noise.md'
const users = 'docs/baseline.md'
const [given = '1000', cores = String(availableParallelism()), part] = process.argv.slice(2)
const repetitions = Number(given)
if (!(repetitions > 0) && !['engine', 'suggested', 'sequences', 'comebacks'].includes(given))
  throw new Error(`${given} is no number of repetitions.`)
const trials = tables.flatMap(({ rows }) => rows.flatMap((row) => row.trials))

if (given === 'engine') writeFileSync(page, await withEngineRuns(readFileSync(page, 'utf8')))
else if (given === 'suggested') writeFileSync(page, await withSuggestions(readFileSync(page, 'utf8')))
else if (part !== undefined) process.stdout.write(JSON.stringify(await measure(Number(part), Number(cores))))
else if (given === 'sequences') await writeSequences(Number(cores))
else if (given === 'comebacks') await writeComebacks(Number(cores))
else await measureAll(Number(cores))

/** Each core takes its share of the repetitions of every trial, with its own seeds; of runs over time one shape. */
async function measure(core: number, of: number): Promise<(number | string)[]> {
  if (given === 'sequences' || given === 'comebacks') {
    const { title, figures } = await studies[given].rowOf(core, of)
    return [title, ...percents(figures)]
  }
  const shares: number[] = []
  for (const trial of trials) shares.push(await redShare(trial, Math.ceil(repetitions / of), 17 + core))
  return shares
}

async function measureAll(count: number): Promise<void> {
  const all = await Promise.all(Array.from({ length: count }, (_, core) => measuredApart(given, count, core)))
  const shares = trials.map((_, index) => all.reduce((sum, one) => sum + Number(one[index]), 0) / count)
  let written = readFileSync(page, 'utf8').replace(/(?<=<!-- repetitions -->).*?(?=<!-- \/ -->)/, given)
  let at = 0
  for (const { name, title, columns, rows } of tables) {
    const figures = rows.map((row) => row.trials.map(() => 100 * (shares[at++] ?? 0)))
    const cells = rows.map((row, index) => [row.title, ...percents(figures[index] ?? [])])
    written = filled(written, name, [title, ...columns], cells)
  }
  writeFileSync(page, await withSuggestions(await withEngineRuns(written)))
  await writeSequences(Math.ceil(repetitions / 25))
}

/** What another process of this program prints. */
async function measuredApart(what: string, repetitions: number, part: number): Promise<string[]> {
  const args = [...process.execArgv, import.meta.filename, what, String(repetitions), String(part)]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  const [out] = await Promise.all([text(child.stdout), once(child, 'exit')])
  const cells: unknown = JSON.parse(out)
  return Array.isArray(cells) ? cells.map(String) : []
}

/** Each core takes the next shape. */
async function rowsOf(study: keyof typeof studies, repetitions: number): Promise<string[][]> {
  const rows: string[][] = []
  const shapes = Array.from({ length: studies[study].shapes }, (_, shape) => shape).values()
  const work = async () => {
    for (const shape of shapes) {
      rows[shape] = await measuredApart(study, repetitions, shape)
      console.error(`${study}: ${rows[shape].join(' | ')}`)
    }
  }
  await Promise.all(Array.from({ length: availableParallelism() }, work))
  return rows
}

function percents(figures: readonly number[]): string[] {
  return figures.map((figure) => (Number.isNaN(figure) ? '–' : figure.toFixed(1)))
}

async function withEngineRuns(written: string): Promise<string> {
  const rows = (await judgeEngineRuns()).flatMap(({ gates: asked, red }) =>
    red.map(({ shop, shares: found }, at) => [at === 0 ? `\`${asked}\`` : '', shop, ...percents(found)]),
  )
  const columns = ['gate', 'shop', '1 baseline run', '3', '5']
  return filled(written, 'engine', columns, rows)
}

async function withSuggestions(written: string): Promise<string> {
  const rows = (await judgeSuggestions()).map(({ title, figures }) => [title, ...percents(figures)])
  const columns = [
    ...['shape', 'unchanged, in 10 runs', 'in 30', 'in 100', 'all +20%'],
    ...['one +20%: promised', 'found', 'twice as long: promised', 'found'],
  ]
  return filled(written, 'suggested', columns, rows)
}

async function writeSequences(count: number): Promise<void> {
  const rows = await rowsOf('sequences', count)
  const columns = ['mean', 'p95'].flatMap((metric) =>
    baselineRuns.map((runs, at) => (at === 0 ? `${metric}, ${runs} earlier run` : String(runs))),
  )
  const counted = readFileSync(users, 'utf8').replace(
    /(?<=<!-- sequence-count -->).*?(?=<!-- \/ -->)/,
    String(count),
  )
  writeFileSync(users, filled(counted, 'sequences', ['unchanged runs', ...columns], rows))
  await writeComebacks(5 * count)
}

async function writeComebacks(count: number): Promise<void> {
  const rows = await rowsOf('comebacks', count)
  const stood = standing.map((merges) => `again, after ${plural(merges, 'merge')}`)
  const columns = ['all requests 20% slower', 'at first', ...stood]
  writeFileSync(users, filled(readFileSync(users, 'utf8'), 'comebacks', columns, rows))
}

/** The page with a table between the markers with its name. */
function filled(text: string, name: string, columns: readonly string[], cells: readonly string[][]): string {
  const line = (all: readonly string[]) => `| ${all.join(' | ')} |`
  const table = [line(columns), line(columns.map(() => '---')), ...cells.map(line)].join('\n')
  const place = new RegExp(`(?<=<!-- ${name} -->\\n)[\\s\\S]*?(?=<!-- / -->)`)
  return text.replace(place, () => `\n${table}\n\n`)
}
