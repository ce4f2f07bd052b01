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
  const archive = read.text('archive')
  const exclude = read.lines('exclude')
  const upload = read.flag('upload')
  const deleteArchive = read.flag('delete-archive')
  if (archive !== '' && exclude.length > 0) {
    read.fault('exclude has no effect on archive, which is uploaded unchanged: remove one of them.')
  }
  if (!upload && archive !== '') read.fault('archive has no effect with upload: false: remove one of them.')
  const unpacked = whyUnpacked(archive, upload)
  const properties = readProperties(read, mode === 'collect' ? 'in mode collect' : unpacked)
  const source = read.path('source', workspace) ?? path.resolve(workspace)
  if (unpacked === undefined && mode !== 'collect') {
    const fault = whyNotPacked?.(source)
    if (fault !== undefined) read.fault(fault)
  }
  if (deleteArchive && !(upload && ['run', 'check'].includes(mode))) {
    read.fault(
      'delete-archive: true needs mode: run and upload: true, because the step deletes only what it has uploaded itself.',
    )
  }
  return {
    source,
    ...defined({ archive: read.path('archive', workspace) }),
    exclude,
    ...properties,
    upload,
    deleteArchive,
  }
}

/** Why the step packs nothing, as the end of a sentence on what has no effect; undefined if it does. */
function whyUnpacked(archive: string, upload: boolean): string | undefined {
  if (archive !== '') return 'on archive, which is uploaded unchanged'
  return upload ? undefined : 'with upload: false'
}

/** How long to wait, and how often to look. */
export function readWaiting(read: InputReader) {
  const pollInterval = read.optionalDuration('poll-interval')
  return {
    ...defined({ pollInterval }),
    timeout: read.duration('timeout'),
    reportTimeout: read.duration('report-timeout'),
  }
}
