import { runRow } from '../__tests__/step/fault-matrix-row.js'
import { places, rows, type Row } from '../__tests__/step/fault-matrix-table.js'
import { limit } from '../__tests__/step/limit.js'
import { mounting } from '../sandbox/runner/small-disk.js'

/*
 * Runs the rows of the fault matrix in a plain process, where the simulated service is much faster than under the
 * test runner. Prints a line of JSON for each row: its place, and its result or its fault. The argument says which
 * rows: daily or whole.
 */
// On two cores; more make the simulated services answer later than a step's hurried clock waits.
const [working, waiting] = [limit(2), limit(6)]

async function report(row: Row, place: number): Promise<void> {
  const line = await runRow(row).then(
    (seen) => ({ place, seen }),
    (error: unknown) => ({ place, error: String(error) }),
  )
  process.stdout.write(`${JSON.stringify(line)}\n`)
}

const which = process.argv[2] ?? 'whole'
const wanted = new Map(Object.entries(places)).get(which)
const canMount = mounting() !== undefined
if (!wanted) throw new Error(`${which}: one of ${Object.keys(places).join(', ')}`)
await Promise.all(
  rows.flatMap((row, place) =>
    wanted.includes(place) && (canMount || row.left === undefined)
      ? [(row.waits ? waiting : working)(() => report(row, place))]
      : [],
  ),
)
