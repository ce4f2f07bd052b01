import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import {
  inputsOf,
  nameOf,
  openEvents,
  permissions,
  rows,
  type EventRow,
  type Events,
} from '../__tests__/step/event-rows.js'
import { hurried, inputsFor } from '../__tests__/step/sandbox.js'
import { runOnAct } from './act.js'
import { equal, type Trial } from './trial.js'

/**
 * Events from whose payload act 0.2.89 does not read the reference as GitHub gives it, and what it takes instead. It
 * takes every other one from the payload, and the commit from that or from the clone.
 */
const readOtherwise: Readonly<Record<string, string>> = {
  merge_group: 'the default branch',
  pull_request_review: 'refs/pull/%!f(<nil>)/merge: it looks for a number that only pull_request has',
}

/** What CI tries: the event that act reads otherwise, and the one whose code is least certain. */
const brief: readonly string[] = ['merge_group', 'issue_comment']

/** One trial for each event: its rows on act, with the same results as on the local runner. */
export function eventTrials(act: string): Trial[] {
  return [...new Set(rows.map(({ event }) => nameOf(event)))].map((name) => ({
    what: `${name}: what is tested and compared, comment and status`,
    thorough: !brief.includes(name),
    try: () => tryEvent(act, name),
  }))
}

async function tryEvent(act: string, name: string): Promise<void> {
  const events = await openEvents()
  try {
    for (const row of rows.filter(({ event }) => nameOf(event) === name)) {
      await events.reset()
      equal(await toldOnAct(act, events, row), events.due(row))
    }
  } finally {
    await events.close()
  }
}

async function toldOnAct(act: string, events: Events, row: EventRow) {
  const { sandbox } = events
  const { github, workspace } = sandbox
  const happening = {
    github: { ...events.happening(row), headRef: '', baseRef: '', repository: 'sandbox/project' },
    ...{ branch: row.at, commit: events.commitOf(row.at), headRepository: 'sandbox/project', inputs: {} },
  }
  const folder = mkdtempSync(path.join(tmpdir(), 'act-'))
  try {
    const { runId, conclusion, log } = await runOnAct(
      act,
      {
        origin: { folder: workspace, repository: 'sandbox/project', defaultBranch: 'main' },
        ...{ github, machineEnv: hurried },
      },
      { workflow: { file: 'load-test.yml', text: workflowFor(events, row) }, happening, permissions },
      { folder, ownReference: !(nameOf(row.event) in readOtherwise) },
    )
    if (conclusion !== 'success') throw new Error(log.join('\n'))
    return events.told(runId)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function workflowFor(events: Events, row: EventRow): string {
  const { at, found = at } = row
  const name = nameOf(row.event)
  const more = { schedule: [{ cron: '17 2 * * *' }], workflow_run: { workflows: ['Build'] } }
  // JSON is YAML.
  return JSON.stringify({
    on: { [name]: Object.entries(more).find(([event]) => event === name)?.[1] ?? {} },
    permissions,
    jobs: {
      'load-test': {
        'runs-on': 'ubuntu-latest',
        steps: [
          { uses: 'actions/checkout@v7', with: found === at ? {} : { ref: events.commitOf(found) } },
          {
            uses: 'load-test-action/load-test-action@v1',
            with: { ...inputsFor(events.sandbox.service), ...inputsOf(row) },
          },
        ],
      },
    },
  })
}
