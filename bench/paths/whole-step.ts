import { mkdir, rm, stat } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { readActionFile } from '../../sandbox/runner/action-file.js'
import { node24 } from '../../sandbox/runner/node24.js'
import type { Bench, Path } from '../bench.js'
import { built } from '../built.js'
import { reportArchive } from '../corpora/report.js'
import { repository } from '../corpora/repository.js'
import { program, type Measured } from '../measure.js'
import { megabytes, rowOf } from '../row.js'
import { rounds } from '../rounds.js'
import { withServer } from '../server.js'

const root = fileURLToPath(new URL('../..', import.meta.url))
const mostAboveSmall = 96_000_000
const mostMilliseconds = 450

/** dist, started as by the runner, against a service that answers at once and the local GitHub. */
export const wholeStep: Path = {
  name: 'whole-step',
  async measure(bench) {
    const { sizes } = bench
    const reports = {
      small: await reportArchive(bench, { files: 20, bytes: 1_000_000 }),
      large: await reportArchive(bench, sizes.report),
    }
    const suite = await repository(bench, { files: 20, bytes: 200_000 })
    const { size: bytes } = await stat(reports.large)
    const step = await stepOf(bench)
    const runs = await rounds(bench, 'whole step', {
      small: () => step(reports.small, suite),
      large: () => step(reports.large, suite),
    })
    const input = 'a suite of 20 files, a report of 1 MB'
    return [
      ...rowOf({ path: 'a whole step', input, ours: runs.small, kind: 'value', atMost: mostMilliseconds }),
      ...rowOf({
        ...{ path: 'a whole step, memory', input: `a report of ${megabytes(bytes)}`, unit: 'bytes' },
        ours: runs.large,
        rival: { name: 'the same step with 1 MB', ...runs.small },
        ...{ kind: 'difference', atMost: mostAboveSmall },
      }),
    ]
  },
}

const fixed = {
  'client-id': 'bench',
  'client-secret': 'bench-secret',
  organization: 'bench',
  project: 'bench',
  'load-test': '1',
  comment: 'never',
}

/** Steps in a workspace, each with its own service and GitHub. */
async function stepOf(bench: Bench): Promise<(report: string, workspace: string) => Promise<Measured>> {
  const service = await built('bench/programs/instant-service.ts', bench.folder)
  const github = await built('bench/programs/github.ts', bench.folder)
  const { inputs } = await readActionFile(root)
  const temp = path.join(bench.scratch, 'temp')
  return (report, workspace) =>
    withServer(service, [report], (url) =>
      withServer(github, [], async (said) => {
        await rm(temp, { recursive: true, force: true })
        await mkdir(temp)
        const given = new Map([...inputs].map(([name, text]) => [name, text.includes('${{') ? '' : text]))
        for (const [name, text] of Object.entries({ ...fixed, 'base-url': url })) given.set(name, text)
        const env = {
          ...(JSON.parse(said) as Record<string, string>),
          ...Object.fromEntries(
            [...given].map(([name, text]) => [`INPUT_${name.toUpperCase()}`, text] as const),
          ),
          GITHUB_WORKSPACE: workspace,
          RUNNER_TEMP: temp,
          HOME: temp,
        }
        const run = await program(node24(), [path.join(root, 'dist/index.js')], { env })
        if (!run.said.includes('name=verdict::passed')) throw new Error(`The step did not pass: ${run.said}`)
        return run
      }),
    )
}
