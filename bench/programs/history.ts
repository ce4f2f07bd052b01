import { readdirSync, readFileSync, statSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { historyOfBranch } from '../../src/actions/history/history.js'
import { parseGates } from '../../src/language/language.js'
import { nothingYet, withPart } from '../../src/outcome/outcome.js'
import { renderHistory } from '../../src/publish/history/history-page.js'
import { commitOf } from '../corpora/past.js'
import { quietLog } from './quiet-log.js'
import { timed } from './timed.js'

/**
 * Reads the outcomes of a folder, whose names are their order, tries the gates of a file on them, and
 * writes the page of their history.
 */
const [, , folder = '', page = '', gatesFile = ''] = process.argv
const { gates } = parseGates(readFileSync(gatesFile, 'utf8'))
const outcomes = readdirSync(folder)
  .sort()
  .map((name, run) => {
    const url = `https://github.com/shop/webshop/actions/runs/${run + 1}`
    return { path: path.join(folder, name), url, branch: 'main', commit: commitOf(run) }
  })
  .reverse()
await timed(async () => {
  const step = {
    actionVersion: '1.0.0',
    startedAt: '2026-11-01T02:17:00Z',
    seconds: 1,
  }
  const inputs = { runs: outcomes.length, gates, name: 'load-test' }
  const world = {
    branchOutcomes: async (_: number, read: (outcome: (typeof outcomes)[number]) => unknown) => {
      outcomes.forEach(read)
      return { branch: 'main', unread: [] }
    },
    log: quietLog,
    signal: new AbortController().signal,
  }
  const outcome = withPart(nothingYet('history', step), await historyOfBranch(inputs, world))
  const { history } = outcome
  if (history?.runs.length !== outcomes.length) throw new Error('Not every outcome was read.')
  if ((history.trial?.gates.length ?? 0) !== gates.length) throw new Error('Not every gate was tried.')
  await writeFile(page, renderHistory(outcome, history))
})
if (statSync(page).size === 0) throw new Error('The page is empty.')
