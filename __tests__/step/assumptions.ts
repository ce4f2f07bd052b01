import { asAssumed, assumptions } from '../../sandbox/service/assumptions.js'
import type { Case } from '../../sandbox/service/assumptions/assumption.js'
import type { ServiceSettings } from '../../sandbox/service/settings.js'
import { quick, startSandbox, type Ran, type Sandbox } from './sandbox.js'

/** A case of a row, by a name that says which. */
export const rows = assumptions.flatMap((row) => {
  const otherwise = { ...('beside' in row ? row.beside : {}), [row.setting]: row.or[0] }
  return row.cases.map((one: Case): [string, Case] => [
    one.name === undefined ? row.topic : `${row.topic}: ${one.name}`,
    { ...one, settings: { ...otherwise, ...one.settings } },
  ])
})

/** Runs of the load test that the step has not started. */
async function startEarlier(sandbox: Sandbox, runs: number): Promise<void> {
  for (let run = 0; run < runs; run++) {
    const { log, outputs } = await sandbox.run({ source: 'none', 'fail-on': 'never' })
    if (outputs['run-number'] === undefined) throw new Error(log)
  }
}

/** The subjects and results of the rows of mode check that are not ok, from the log. */
function openRows({ log }: Ran): string[] {
  return [...log.matchAll(/^\s*([\w' ]+?) \.{3,} (problem|unknown) \.{3,} /gm)].map(
    ([, subject = '', result = '']) => `${subject}: ${result}`,
  )
}

/** Runs the step and mode check against a service that is set as the case says, and compares what they do with it. */
export async function tryCase(sandbox: Sandbox, one: Case): Promise<void> {
  const { service, workspace } = sandbox
  Object.assign(service.settings, settingsOf(one, service.settings))
  await startEarlier(sandbox, one.earlier ?? 0)
  const undo = one.change?.(workspace)
  const [startsBefore, uploadsBefore] = [service.books.starts.length, sandbox.uploads().length]
  service.settings.faults = [...(one.faults ?? [])]
  try {
    const options = one.credentials === undefined ? {} : { credentials: one.credentials }
    const check = () => sandbox.run({ mode: 'check', ...one.inputs }, options)
    const run = () => sandbox.run(one.inputs, options)
    // A fault that hits once is meant for the run.
    const [ran, checked] = one.faults ? [await run(), await check()] : await Promise.all([run(), check()])
    const starts = service.books.starts.length - startsBefore
    const uploads = sandbox.uploads().length - uploadsBefore
    const isGreen = ran.conclusion === 'success'
    const isOk = openRows(checked).length === 0
    expect({
      verdict: ran.outputs['verdict'],
      starts,
      ...(one.uploads === undefined ? {} : { uploads }),
      check: openRows(checked),
      ...Object.fromEntries(Object.keys(one.outputs ?? {}).map((name) => [name, ran.outputs[name]])),
    }).toEqual({
      verdict: one.verdict,
      starts: one.starts ?? (one.verdict === 'passed' ? 1 : 0),
      ...(one.uploads === undefined ? {} : { uploads: one.uploads }),
      check: one.check ?? [],
      ...one.outputs,
    })
    if (one.says) expect(ran.log).toMatch(one.says)
    if (one.saysNot) expect(ran.log).not.toMatch(one.saysNot)
    // A red step says why where people look; what check calls ok does not end a run.
    if (!isGreen) expect(ran.annotations.some(({ kind }) => kind === 'error')).toBe(true)
    if (isOk && !isGreen) expect(one.onlyARunShows).toBe(true)
  } finally {
    undo?.()
  }
}

/** What cases may set, each time from the beginning. */
function settingsOf({ settings }: Case, { organization }: ServiceSettings): object {
  return { ...asAssumed, organization, ...quick, ends: 'FINISHED', ...settings }
}

/** One service for all cases, but a separate one for another organization, or if the names of load tests matter. */
export function forCases(): { try: (one: Case) => Promise<void> } {
  let shared: Sandbox
  beforeAll(async () => {
    shared = await startSandbox()
  })
  afterAll(() => shared.close())
  return {
    async try(one) {
      const organization = one.settings?.['organization']
      if (organization === undefined && one.earlier === undefined) return tryCase(shared, one)
      const own = await startSandbox(typeof organization === 'string' ? { organization } : {})
      await tryCase(own, one).finally(() => own.close())
    },
  }
}
