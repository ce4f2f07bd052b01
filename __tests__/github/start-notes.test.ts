import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { NoArtifactServiceError, NoRecordError } from '../../src/errors.js'
import { startGithub, type Github } from '../../sandbox/github/github.js'
import type { ArtifactStore } from '../../src/github/artifacts/store.js'
import { connect } from '../../src/github/api/octokit.js'
import { StartNotes } from '../../src/github/artifacts/start-notes.js'
import type { StartNote } from '../../src/run/run.js'
import { keptLog } from '../kept-log.js'

const { log } = keptLog()
const workflowRun = { workflowRunId: 1, repositoryOwner: 'o', repositoryName: 'r' }
const place = {
  service: 'https://s.example',
  organization: 'o',
  project: 'p',
  template: 1,
  id: 'c0ffee',
  highest: 8,
  at: '',
}

describe('the note of a run', () => {
  const noted: StartNote & { run: number } = {
    ...place,
    run: 9,
    attempt: 1,
    archiveId: 'ca-2',
    archiveSha512: 'a'.repeat(128),
  }
  let github: Github
  let temp: string
  let lines: string[]
  beforeEach(async () => {
    github = await startGithub({ settings: { private: true } })
    temp = await mkdtemp(path.join(tmpdir(), 'notes-'))
    lines = []
  })
  afterEach(async () => {
    await github.close()
    await rm(temp, { recursive: true })
  })

  /** Notes, and a store that has what was uploaded: of this workflow run under `own`, of others by its id at GitHub. */
  function notesOf(
    own: Map<string, string> = new Map(),
    token = github.token({ actions: 'read' }),
    createdAt = new Date(0),
  ) {
    const store: ArtifactStore = {
      async uploadArtifact(name, [file = '']) {
        own.set(name, await readFile(file, 'utf8'))
        return {}
      },
      listArtifacts: async () => ({ artifacts: [...own.keys()].map((name) => ({ name, createdAt })) }),
      async downloadArtifact({ name, id }, { path: folder }) {
        const stored = github.store.artifacts.find((one) => one.id === id)?.path
        const text = id === undefined ? own.get(name) : stored && (await readFile(stored, 'utf8'))
        await writeFile(path.join(folder, name), text ?? '')
      },
    }
    return new StartNotes({
      store: async () => store,
      octokit: () => connect(token, { baseUrl: github.url }),
      token,
      workflowRun: { ...workflowRun, repositoryOwner: 'sandbox', repositoryName: 'project' },
      stepName: 'step',
      temp,
      log: { ...log, info: (line) => void lines.push(line) },
    })
  }

  /** Its name and content. */
  async function kept(note: StartNote): Promise<[string, string]> {
    const own = new Map<string, string>()
    await notesOf(own).keep(note)
    const [only] = own
    if (!only) throw new Error('no note')
    return only
  }

  /** Attached by another workflow run. */
  async function attached(note: StartNote, run: Parameters<Github['seed']['run']>[0], expiresAt?: Date) {
    const [name, bytes] = await kept(note)
    const { id: runId } = github.seed.run(run)
    await github.seed.artifact({
      runId,
      name,
      bytes,
      mimeType: 'application/json',
      ...(expiresAt && { expiresAt }),
    })
  }

  test('is not waited for if the artifact service never answers: the step follows the run', async () => {
    const over = new AbortController()
    const never = () =>
      new Promise<never>((_, reject) => {
        const end = () => reject(new Error('over'))
        over.signal.addEventListener('abort', end)
        // On a busy machine the step has gone on before it is asked at all.
        if (over.signal.aborted) end()
      })
    const silent: ArtifactStore = { uploadArtifact: never, listArtifacts: never, downloadArtifact: never }
    const notes = new StartNotes({ ...notesOf().place, store: async () => silent })
    await expect(notes.keep(noted, 50)).resolves.toBe(false)
    // Else the upload's limit of minutes would keep the process alive.
    over.abort()
  })

  test('is found in this workflow run, by whichever step it was kept', async () => {
    const [name, text] = await kept(noted)
    expect(name).toMatch(/^load-test-run-[0-9a-f]{12}\.json$/)
    const own = new Map([
      ['load-test-run-000000000000.json', '{}'],
      [name, text],
    ])
    await expect(notesOf(own).of(noted)).resolves.toMatchObject(noted)
  })

  test.each([
    ['for which GitHub started its run', 'c'.repeat(40), true],
    ['that it alone names', 'd'.repeat(40), false],
  ])('vouches for a commit %s', async (_, commit, isVouched) => {
    await attached({ ...noted, commit }, { commit: 'c'.repeat(40) })
    const notes = notesOf()
    await notes.of(noted)
    expect([...notes.commits]).toEqual(isVouched ? [commit] : [])
  })

  test.each<[string, Parameters<Github['seed']['run']>[0], Date | undefined]>([
    ['of a fork', { headRepository: 'somebody/project' }, undefined],
    ['of a fork that is gone', { headRepository: null }, undefined],
    ['of an earlier attempt of this step', { id: 1 }, undefined],
    ['that has expired', {}, new Date(0)],
  ])('%s is not found', async (_, run, expiresAt) => {
    await attached(noted, run, expiresAt)
    await expect(notesOf().of(noted)).resolves.toBeUndefined()
    expect(lines.join()).toContain('There is no note of the start of load test 9')
  })

  test.each<Partial<StartNote>>([
    { service: 'https://t.example' },
    { organization: 'x' },
    { project: 'q' },
    { run: 10 },
  ])('one with %j has another name, and under the right one it does not count', async (differs) => {
    const [name] = await kept(noted)
    const [other, text] = await kept({ ...noted, ...differs })
    expect(other).not.toBe(name)
    await expect(notesOf(new Map([[name, text]])).of(noted)).resolves.toBeUndefined()
  })

  test.each<[string, string | undefined, string[]]>([
    ['the same, it is not attached again', undefined, []],
    ['something else, it is attached beside it', '{}', ['-again.json']],
  ])('if its name is taken by %s', async (_, content, added) => {
    const [name, text] = await kept(noted)
    const own = new Map([[name, content ?? text]])
    const notes = notesOf(own)
    const store = await notes.place.store()
    const taken: ArtifactStore = {
      ...store,
      async uploadArtifact(wanted, ...more) {
        if (own.has(wanted)) throw new Error('(409) Conflict: an artifact with this name already exists')
        return store.uploadArtifact(wanted, ...more)
      },
    }
    const keeping = new StartNotes({ ...notes.place, store: async () => taken }).keep(noted)
    await expect(keeping).resolves.toBe(true)
    expect([...own.keys()]).toEqual([name, ...added.map((end) => name.replace('.json', end))])
    await expect(notes.read()).resolves.toMatchObject([noted])
  })

  test('an upload that fails for another reason is not tried again', async () => {
    const notes = notesOf()
    const names: string[] = []
    const broken: ArtifactStore = {
      ...(await notes.place.store()),
      uploadArtifact: (name) => Promise.reject(new Error(`no room for artifact ${names.push(name)}`)),
    }
    const keeping = new StartNotes({ ...notes.place, store: async () => broken }).keep(noted)
    await expect(keeping).resolves.toBe(false)
    expect(names).toHaveLength(1)
    expect(lines.join()).toMatch(/no room for artifact 1/)
  })

  test('that a start begins, and what is told of it, have names of their own; without a record nothing starts', async () => {
    const own = new Map<string, string>()
    const notes = notesOf(own)
    const { run: _, ...start } = noted
    const all = [start, { ...start, run: null }, { ...start, run: null, judged: true }]
    for (const note of all) await notes.keep(note)
    expect([...own.keys()].map((name) => name.split('-').slice(4).join())).toEqual([
      'c0ffee.json',
      'c0ffee,told.json',
      'c0ffee,judged.json',
    ])
    // Other artifacts of the job are not read for one.
    own.set('report.json', JSON.stringify(noted))
    await expect(notes.read()).resolves.toMatchObject(all)
    const without = (fault: Error) =>
      new StartNotes({ ...notes.place, store: () => Promise.reject(fault) }).keep(start)
    await expect(without(new Error('full'))).rejects.toThrow(/^Nothing was started, .* GitHub said: full$/)
    await expect(without(new NoArtifactServiceError('none'))).resolves.toBe(false)
  })

  test('cannot be read without the permission', async () => {
    await attached(noted, { id: 40 })
    await expect(notesOf(new Map(), github.token({ contents: 'read' })).of(noted)).resolves.toBeUndefined()
    expect(lines.join()).toMatch(/The note of the start of load test 9 could not be read: .*actions: read/)
  })

  test('of earlier attempts that cannot be read are a fault that names the permission', async () => {
    const { place } = notesOf()
    const failing = (fault: Error, token = place.token) =>
      new StartNotes({ ...place, token, store: () => Promise.reject(fault) }).read()
    await expect(failing(Object.assign(new Error('not for you'), { status: 403 }))).rejects.toThrow(
      /^The notes on what earlier attempts of this job started could not be read: not for you .*actions: read/,
    )
    await expect(failing(new NoArtifactServiceError('none'))).rejects.toThrow(NoRecordError)
    await expect(failing(new Error('no token'), '')).rejects.toThrow(NoRecordError)
    const passing = failing(new Error('no service'))
    await expect(passing).rejects.toThrow('could not be read: no service. Run the job again later.')
    await expect(passing).rejects.not.toThrow(NoRecordError)
  })

  const forbidden = () => Promise.reject(Object.assign(new Error('not for you'), { status: 403 }))
  test.each([
    ['without the permission, are those that the artifact service lists', noted, forbidden, [noted]],
    ['without the permission, are unknown where it lists none', undefined, forbidden, NoRecordError],
    ['are those of the service where GitHub lists none', noted, async () => ({ artifacts: [] }), [noted]],
  ])('of earlier attempts, %s', async (_, note, listed, due) => {
    const notes = notesOf(new Map([['report.json', '{}']]))
    if (note) await notes.keep(note)
    const store = await notes.place.store()
    const listArtifacts: typeof store.listArtifacts = (asked) =>
      asked?.findBy ? listed() : store.listArtifacts(asked)
    const place = { ...notes.place, store: async () => ({ ...store, listArtifacts }) }
    const read = new StartNotes(place).read()
    if (Array.isArray(due)) await expect(read).resolves.toMatchObject(due)
    else await expect(read).rejects.toThrow(due)
  })

  test('one of this step that cannot be read is not taken for none', async () => {
    const own = new Map<string, string>()
    const notes = notesOf(own)
    const { run: _, ...start } = noted
    await notes.keep(start)
    for (const name of own.keys()) own.set(name, '{"format":2}')
    await expect(notes.read()).rejects.toThrow(/load-test-start-.* holds no note that this version reads/)
  })

  test('those of earlier attempts are those of the same step', async () => {
    const own = new Map<string, string>()
    await notesOf(own).keep(noted)
    await expect(notesOf(own).read()).resolves.toMatchObject([noted])
    const [[name, text] = ['', '']] = own
    const other = new Map([[name, text.replace(/"step":"\w+"/, '"step":"another"')]])
    const read = (createdAt?: Date) => notesOf(other, undefined, createdAt).read()
    // When the second attempt began is not known, and then it is.
    await expect(read()).resolves.toBeUndefined()
    github.seed.run({ id: 1 })
    await expect(read()).resolves.toEqual([])
    // As an artifact of another job, after "Re-run all jobs".
    await expect(read(new Date())).resolves.toBeUndefined()
    await expect(notesOf().read()).resolves.toBeUndefined()
  })
})
