import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { testReportXml, type SimulatedRun } from '../../sandbox/report/archive.js'
import { quietRun } from '../../sandbox/report/simulated-run.js'
import { parsed, type Tree } from './read-back.js'

/** The simulated report compared with the engine's: element paths, attributes and number formats. */
type Shape = Map<string, Set<string>>

const golden = path.resolve('__tests__/engine/golden')

function shapeOf(trees: readonly Tree[]): Shape {
  const shape: Shape = new Map()
  const add = (place: string, form: string) => shape.set(place, (shape.get(place) ?? new Set()).add(form))
  const walk = ({ tag, attributes, text, children }: Tree, above: string) => {
    const place = above === '' ? tag : `${above}/${tag}`
    for (const [name, value] of Object.entries(attributes)) add(`${place}/@${name}`, formOf(value))
    add(place, children.length > 0 ? 'elements' : formOf(text))
    for (const child of children) walk(child, place)
  }
  for (const tree of trees) walk(tree, '')
  return shape
}

function formOf(text: string): string {
  const value = text.trim()
  if (value === '') return 'nothing'
  if (/^-?\d+$/.test(value)) return 'integer'
  if (/^-?\d+\.\d+$/.test(value)) return `${value.split('.')[1]?.length} decimals`
  if (/^(true|false)$/.test(value)) return 'truth'
  if (/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC$/.test(value)) return 'date'
  // Apdex
  return /^\d\.\d+ \[\d\.\d+\]\*?$/.test(value) ? value.replace(/\d/g, '0') : 'text'
}

function written(name: string): Tree[] {
  return readdirSync(golden)
    .flatMap((release) => readdirSync(path.join(golden, release)).map((kind) => `${release}/${kind}`))
    .map((kind) => path.join(golden, kind, name))
    .filter((file) => existsSync(file))
    .map((file) => parsed(readFileSync(file, 'utf8')))
}

/** `path: engine's forms | sandbox's forms` for everything that differs or is only in one of them. */
function differences(engine: Shape, sandbox: Shape): string[] {
  return [...new Set([...engine.keys(), ...sandbox.keys()])].sort().flatMap((place) => {
    const [ours, theirs] = [sandbox.get(place), engine.get(place)]
    const list = (forms: Set<string> | undefined) =>
      // Any list may be empty.
      forms?.has('elements') ? 'elements' : forms ? [...forms].sort().join(', ') : 'not there'
    return list(ours) === list(theirs) ? [] : [`${place}: ${list(theirs)} | ${list(ours)}`]
  })
}

/** What may differ, and why; remove entries that no longer differ. */
const reportReasons: [place: RegExp, reason: string][] = [
  [/\/labels$/, 'the example suite labels nothing; a team that does has them'],
  [
    /configuration\/comments(\/string)?$/,
    'the kept reports were made without the service, whose runs have a comment',
  ],
  [/configuration\/properties\/property\/@value$/, 'settings are whatever a suite sets'],
  [/^testreport\/slowestRequests/, 'nothing took the three seconds from which on the engine lists a request'],
  [/webVitals\/fid/, 'these releases measure it no more; a report of an older one has it'],
]

/** Differences without a reason, and reasons without a difference. */
function unexplained(found: readonly string[], reasons: readonly [RegExp, string][]): string[] {
  const placeOf = (difference: string) => difference.slice(0, difference.indexOf(': '))
  const stale = reasons.filter(([place]) => !found.some((difference) => place.test(placeOf(difference))))
  return [
    ...found.filter((difference) => !reasons.some(([place]) => place.test(placeOf(difference)))),
    ...stale.map(([, reason]) => `no difference any more: ${reason}`),
  ]
}

const brief = { ...quietRun, endTime: quietRun.startTime + 60_000 }
const runs: Partial<SimulatedRun>[] = [{}, { errorRate: 0.05 }, { errorRate: 1 }]

test("the simulated testreport.xml has the structure of the engine's", () => {
  const sandbox = shapeOf(runs.map((changes) => parsed(testReportXml({ ...brief, ...changes }))))
  expect(unexplained(differences(shapeOf(written('testreport.xml')), sandbox), reportReasons)).toEqual([])
})
