import path from 'node:path'
import { readBaseUrl } from '../service/operations.js'
import { defined } from '../text/fields.js'
import { modes, ownActions, type Mode } from '../outcome/kinds.js'
import { oneLine } from '../text/foreign-text.js'
import type { InputReader } from './input-reader.js'
import type { ArchiveInputs, LoadTestName, Occasion } from './inputs.js'
import { readProperties } from './properties.js'

export function readMode(read: InputReader): Mode {
  const own = ownActions.find((one) => one === read.text('mode'))
  if (own === undefined) return read.choice('mode', modes)
  read.fault(
    `mode is "${own}", which is a separate action: write uses: load-test-action/load-test-action/${own}@v1, without mode.`,
  )
  return modes[0]
}

/** Where the service is, and who asks it. */
export function readService(read: InputReader, { withoutSecrets }: Occasion) {
  const address = read.required(
    'base-url',
    'base-url is required: the address of the service, such as https://loadtest.example.com',
  )
  const page = { organization: read.text('organization'), project: read.text('project') }
  const baseUrl = address === '' ? { url: '' } : readBaseUrl(address, page)
  if ('fault' in baseUrl) read.fault(baseUrl.fault)
  const secret = (name: string) => {
    if (/^(?:secrets\.\w+|\$\w+|\$?\{\{.*)$/.test(read.text(name)))
      read.fault(`${name} is the name of a secret, not its value: write \${{ secrets.NAME }}.`)
    return read.required(
      name,
      `${name} is empty: ${withoutSecrets ?? 'add the secret to the repository (Settings, Secrets and variables, Actions), under the name that the workflow uses. A reusable workflow gets it with secrets: inherit.'}`,
    )
  }
  return {
    baseUrl: 'url' in baseUrl ? baseUrl.url : '',
    credentials: { clientId: secret('client-id'), clientSecret: secret('client-secret') },
    project: { organization: shortName(read, 'organization'), project: shortName(read, 'project') },
    ...readRunPage(read),
  }
}

function readRunPage(read: InputReader): { runPage?: string } {
  const runPage = read.text('run-page')
  if (runPage === '') return {}
  if (!runPage.includes('{number}') || !/^https?:\/\//.test(runPage) || !URL.canParse(runPage)) {
    read.fault(
      'run-page must be an address with {number} in it, such as https://loadtest.example.com/runs/{number}',
    )
  }
  return { runPage }
}

function shortName(read: InputReader, name: string): string {
  const given = read.required(name)
  if (/[\s/\\?#%]|^\.+$/.test(given)) {
    read.fault(`${name} is "${oneLine(given, 60)}": write its short name, as in the service's addresses.`)
  }
  return given
}

/** @returns the template, if one is named; the number of the run to collect, 0 if none is */
export function readTest(read: InputReader, mode: Mode): { template?: LoadTestName; runNumber: number } {
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
    const number = /^(?:#|https?:.*\/)(\d{1,9})\/?$/.exec(loadTest)?.[1]
    if (number !== undefined)
      read.fault(`load-test is "${oneLine(loadTest, 100)}": write its number alone, ${number}.`)
    return { template: isNumber ? { number: Number(loadTest) } : { name: loadTest }, runNumber: 0 }
  }
  if (mode !== 'check') {
    read.fault(
      `load-test is required in mode ${mode}: the number or the exact name of the load test to copy.`,
    )
  }
  return { runNumber: 0 }
}

/** What the code archive is made of, and what becomes of it. */
export function readArchive(
  read: InputReader,
  mode: Mode,
  { workspace, whyNotPacked }: Occasion,
): ArchiveInputs {
  const given = read.text('source')
  const upload = given !== 'none'
  const isZip = /\.zip$/i.test(given)
  const place = upload ? read.path('source', workspace) : undefined
  const unpacked = isZip || !upload ? `with source: ${oneLine(given, 60)}` : undefined
  const exclude = read.lines('exclude')
  if (unpacked !== undefined && exclude.length > 0)
    read.fault(`exclude has no effect ${unpacked}, where nothing is packed: remove one of them.`)
  const properties = readProperties(read, mode === 'collect' ? 'in mode collect' : unpacked)
  const source = isZip ? undefined : place
  const folder = source ?? path.resolve(workspace)
  if (unpacked === undefined && mode !== 'collect') {
    const fault = whyNotPacked?.(folder)
    if (fault !== undefined) read.fault(fault)
  }
  const archive = isZip ? place : undefined
  const deleteArchive = readDeletion(read, upload && ['run', 'check'].includes(mode))
  return { source: folder, ...defined({ archive }), exclude, ...properties, upload, deleteArchive }
}

function readDeletion(read: InputReader, uploadsAndWaits: boolean): boolean {
  const deletes = read.flag('delete-archive')
  if (deletes && !uploadsAndWaits) {
    read.fault(
      'delete-archive: true needs mode: run and a source, because the step deletes only what it has uploaded itself.',
    )
  }
  return deletes
}

/** Milliseconds: the service has to make the report, and a large one takes long to download. */
const longestForReport = 3_600_000

/** How long to wait. */
export function readWaiting(read: InputReader) {
  const timeout = read.duration('timeout')
  return { timeout, reportTimeout: Math.min(timeout, longestForReport) }
}
