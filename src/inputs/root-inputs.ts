import path from 'node:path'
import { existsSync, lstatSync, readdirSync } from 'node:fs'
import { strangePercentiles, usualPercentiles, type Gate, type SuitePercentiles } from '../language/gate.js'
import { readBaseUrl } from '../service/project.js'
import { defined } from '../text/fields.js'
import { modes, ownActions, type Mode } from '../outcome/outcome.js'
import { oneLine } from '../text/foreign-text.js'
import { secrets } from '../text/redaction.js'
import { readRegularFile } from '../text/regular-file.js'
import type { InputReader } from './input-reader.js'
import type { Occasion } from './inputs.js'
import { readCommenting, readJudging, tellOf } from './judging.js'

/** The inputs of the action at the root of the repository. What is not for its mode is read as well, for its mistakes. */
export function readRootInputs(read: InputReader, occasion: Occasion) {
  const mode = readMode(read)
  const judging = readJudging(read, occasion)
  const service = readService(read, occasion)
  const { template, runNumber } = readTest(read, mode)
  const archive = readArchive(read, mode, occasion)
  // A baseline shows more, and is looked at before the start.
  if (mode === 'start' || (mode !== 'collect' && !judging.baseline))
    checkPercentiles(read, judging.gates, archive.percentiles)
  const resume = read.flag('resume')
  const timeout = read.duration('timeout')
  const common = {
    ...service,
    timeout,
    reportTimeout: Math.min(timeout, longestForReport),
    ...judging,
    ...readCommenting(read),
    results: read.flag('results'),
  }
  const confirm = readConfirm(read, mode, judging.baseline !== undefined)
  const forStart = { ...archive, resume, confirm }
  if (mode === 'collect') return { mode, ...common, runNumber }
  if (mode === 'check') return { mode, ...common, ...forStart, ...defined({ template }) }
  return { mode, ...common, ...forStart, template: template ?? { number: 0 } }
}

/** The service has to make the report, and a large one takes long to download. */
const longestForReport = 3_600_000

/** A paid run could only show that its report has no such percentile. @param suite undefined if it is not known */
function checkPercentiles(read: InputReader, gates: readonly Gate[], suite?: SuitePercentiles): void {
  for (const { gate, sentence } of strangePercentiles(gates, (suite ?? usualPercentiles).all))
    tellOf(read, { ...gate, warn: gate.warn || suite === undefined }, sentence)
}

/** Whether a second run is started if only gates that compare failed in the first. */
function readConfirm(read: InputReader, mode: Mode, hasBaseline: boolean): boolean {
  const confirm = read.flag('confirm')
  if (confirm && mode !== 'run' && mode !== 'check')
    read.fault('confirm: true needs mode: run, in which the step can start a second run.')
  else if (confirm && !hasBaseline)
    read.fault('confirm: true needs a baseline: only gates that compare are judged twice.')
  return confirm
}

function readMode(read: InputReader): Mode {
  const own = ownActions.find((one) => one === read.text('mode'))
  if (own === undefined) return read.choice('mode', modes)
  read.fault(
    `mode is "${own}", which is a separate action: write uses: load-test-action/load-test-action/${own}@v1, without mode.`,
  )
  return modes[0]
}

/** Where the service is, and who asks it. */
function readService(read: InputReader, { withoutSecrets }: Occasion) {
  const reason = 'base-url is required: the address of the service, such as https://loadtest.example.com'
  const address = read.required('base-url', reason)
  const page = { organization: read.text('organization'), project: read.text('project') }
  const baseUrl = address === '' ? { url: '' } : readBaseUrl(address, page)
  if ('fault' in baseUrl) read.fault(baseUrl.fault)
  const secret = (name: string) => {
    if (/^(?:secrets\.\w+|\$\w+|\$?\{\{.*)$/.test(read.text(name)))
      read.fault(`${name} is the name of a secret, not its value: write \${{ secrets.NAME }}.`)
    return read.required(
      name,
      `${name} is empty: ${withoutSecrets ?? 'add the secret to the repository. It belongs under Settings, Secrets and variables, Actions, with the name that the workflow uses. A reusable workflow gets it with secrets: inherit.'}`,
    )
  }
  const clientId = secret('client-id')
  // One sentence says why there are none.
  const clientSecret = clientId === '' && withoutSecrets ? '' : secret('client-secret')
  return {
    baseUrl: 'url' in baseUrl ? baseUrl.url : '',
    credentials: { clientId, clientSecret },
    project: { organization: shortName(read, 'organization'), project: shortName(read, 'project') },
    ...readRunPage(read),
  }
}

function readRunPage(read: InputReader): { runPage?: string } {
  const runPage = read.text('run-page')
  if (runPage === '') return {}
  const filled = runPage.replace(/\{(?:number|organization|project)\}/g, '1')
  const isAddress = /^https?:\/\//.test(runPage) && URL.canParse(filled)
  if (!isAddress || !runPage.includes('{number}') || /[{}]/.test(filled))
    read.fault(
      'run-page must be an address with {number} in it, such as https://loadtest.example.com/runs/{number}',
    )
  if (secrets.text(runPage) !== runPage)
    read.fault('run-page holds a secret, and whoever reads a result sees it.')
  return { runPage }
}

function shortName(read: InputReader, name: string): string {
  const given = read.required(name)
  if (/[\s/\\?#%]|^\.+$/.test(given))
    read.fault(`${name} is "${oneLine(given, 60)}": write its short name, as in the service's addresses.`)
  return given
}

/** @returns the template, if one is named; the number of the run to collect, 0 if none is */
function readTest(
  read: InputReader,
  mode: Mode,
): { template?: { number: number } | { name: string }; runNumber: number } {
  const loadTest = read.text('load-test')
  const runNumber = read.text('run-number')
  if (mode === 'collect') {
    if (runNumber !== '') return { runNumber: read.whole('run-number', 1, 999_999_999) }
    read.fault(
      'run-number is required in mode collect: the output run-number of the step that started the run.',
    )
    return { runNumber: 0 }
  }
  if (runNumber !== '') read.fault('run-number is only for mode collect: remove it, or set mode: collect.')
  if (loadTest !== '') {
    const isNumber = /^\d{1,9}$/.test(loadTest)
    const [, number] =
      /^(?:#|["'[]+|load-test: *|https?:.*\/(?=\d+\/?$)|https?:.*\/load-tests\/(?=\d+\/))(\d{1,9})(?:\/.*|["'\]]*)$/.exec(
        loadTest,
      ) ?? []
    if (isNumber && Number(loadTest) === 0) read.fault(`load-test is "${loadTest}": numbers begin with 1.`)
    // An address is not repeated: whoever reads the log would click on it.
    const shown = loadTest.startsWith('http') ? 'an address' : `"${oneLine(loadTest, 100)}"`
    if (number !== undefined) read.fault(`load-test is ${shown}: write its number alone, ${number}.`)
    return { template: isNumber ? { number: Number(loadTest) } : { name: loadTest }, runNumber: 0 }
  }
  if (mode !== 'check')
    read.fault(
      `load-test is required in mode ${mode}: the number or the exact name of the load test to copy.`,
    )
  return { runNumber: 0 }
}

/** What the code archive is made of, and what becomes of it. */
interface ArchiveInputs {
  /** The folder to pack; the workspace if nothing is packed. */
  source: string
  /** A ZIP that exists already. */
  archive?: string
  exclude: string[]
  /** Settings that this step adds to a file of the packed folder that the engine reads in every suite; each key once. */
  properties?: { file: string; entries: (readonly [key: string, value: string])[] }
  upload: boolean
  deleteArchive: boolean
  /** Absent if it is not known which the suite asks for. */
  percentiles?: SuitePercentiles
}

function readArchive(read: InputReader, mode: Mode, occasion: Occasion): ArchiveInputs {
  const given = read.text('source')
  const upload = given !== 'none'
  const place = upload ? read.path('source') : undefined
  const deleteArchive = readDeletion(read, upload && ['run', 'check'].includes(mode))
  const made = { exclude: read.lines('exclude'), upload, deleteArchive }
  if (!upload || /\.zip$/i.test(given)) {
    const unpacked = `with source: ${oneLine(given, 60)}`
    if (made.exclude.length > 0)
      read.fault(`exclude has no effect ${unpacked}, where nothing is packed: remove one of them.`)
    return {
      source: path.resolve(read.workspace),
      ...defined({ archive: place }),
      ...made,
      ...readProperties(read, unpacked),
    }
  }
  const source = place ?? path.resolve(read.workspace)
  if (mode === 'collect') return { source, ...made, ...readProperties(read, 'in mode collect') }
  if (/^(?:none|no|false|off|git)$/i.test(given) && !existsSync(source))
    read.fault(`source is "${given}", but there is no such folder. To upload nothing, write source: none.`)
  const fault = occasion.whyNotPacked?.(source)
  if (fault !== undefined) read.fault(fault)
  const properties = readProperties(read)
  const percentiles = readPercentiles(source, properties.properties)
  return { source, ...made, ...properties, ...defined({ percentiles }) }
}

/** @param unpacked why nothing is packed that they could be appended to, as the end of a sentence */
function readProperties(read: InputReader, unpacked?: string): Pick<ArchiveInputs, 'properties'> {
  const text = read.raw('properties')
  if (text.trim() === '') return {}
  if (unpacked !== undefined) read.fault(`properties has no effect ${unpacked}: remove one of them.`)
  return { properties: { file: 'config/project.properties', entries: readEntries(read, text) } }
}

/** `key = value` on each line; blank lines and those that begin with # are skipped. */
function readEntries(read: InputReader, text: string) {
  const entries = new Map<string, string>()
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    const written = line.trim()
    if (written === '' || written.startsWith('#')) continue
    const at = written.indexOf('=')
    const key = written.slice(0, Math.max(at, 0)).trim()
    // -Dkey=value, an item of a list, quotes: the engine would know no such key.
    if (!/^[^-"'{\s]\S*$/.test(key)) read.fault(`properties, line ${index + 1}: write it as key = value.`)
    else if (written.includes('\r'))
      read.fault(`properties, line ${index + 1}: a value is one line. Remove the line break in it.`)
    else if (entries.has(key))
      read.fault(`properties, line ${index + 1}: ${oneLine(key, 60)} is set twice. Remove one of the lines.`)
    else entries.set(key, written.slice(at + 1).trim())
    if (key !== '' && entries.get(key) === '')
      read.warnings.push(`properties, line ${index + 1}: ${oneLine(key, 60)} is set to nothing.`)
  }
  return [...entries]
}

const percentileSetting = 'com.xceptance.xlt.reportgenerator.runtimePercentiles'
const mostSettingsBytes = 1_000_000

/** What the suite asks for, in any file of its configuration or in the input `properties`; undefined if unknown. */
function readPercentiles(folder: string, own: ArchiveInputs['properties']): SuitePercentiles | undefined {
  const given = own?.entries.find(([key]) => key === percentileSetting)
  let values = given && [given[1]]
  try {
    values ??= settingsIn(path.join(folder, 'config'))
  } catch {
    return undefined
  }
  if (values.length === 0) return usualPercentiles
  const ranks = values.flatMap((value) => value.split(/[\s,;]+/)).filter((rank) => rank !== '')
  // A placeholder, for example.
  if (ranks.some((rank) => Number.isNaN(Number(rank)))) return undefined
  return { all: ranks.map((rank) => `p${Number(rank)}`), isUsual: false }
}

function settingsIn(config: string): string[] {
  // A link to a folder may lead anywhere.
  if (!lstatSync(config, { throwIfNoEntry: false })?.isDirectory()) return []
  const entries = readdirSync(config, { withFileTypes: true, recursive: true })
  const files = entries.filter((entry) => entry.isFile() && entry.name.endsWith('.properties'))
  return files.flatMap(({ parentPath, name }) => {
    const text = readRegularFile(path.join(parentPath, name), mostSettingsBytes).toString('latin1')
    const lines = text.replace(/\\\r?\n[ \t]*/g, '').split(/\r?\n/)
    return lines.flatMap((line) => {
      const [, key, value = ''] = /^\s*([^\s=:#!]+)\s*[=:\s]\s*(.*)$/.exec(line) ?? []
      return key === percentileSetting ? [value] : []
    })
  })
}

function readDeletion(read: InputReader, uploadsAndWaits: boolean): boolean {
  const deletes = read.flag('delete-archive')
  if (deletes && !uploadsAndWaits)
    read.fault(
      'delete-archive: true needs mode: run and a source, because the step deletes only what it has uploaded itself.',
    )
  return deletes
}
