import { execFileSync } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rename, rm, symlink, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { readReport, reportFiles, takeReport } from '../../src/report/reading/report-reader.js'
import { chartsOf } from '../../src/report/reading/kept-charts.js'
import { tarGzOf, zipOf } from '../unpack/archives.js'

const report = '<testreport><general><hits>1</hits></general></testreport>'
const scorecard = '<scorecard><outcome testFailed="false"/></scorecard>'
const { signal } = new AbortController()

let folder: string
beforeEach(async () => (folder = await mkdtemp(join(tmpdir(), 'read-'))))
afterEach(() => rm(folder, { recursive: true }))

/** Files below the folder `in`. */
async function put(files: Record<string, string | Buffer>): Promise<void> {
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, 'in', name)), { recursive: true })
    await writeFile(join(folder, 'in', name), content)
  }
}

const filesAt = (...names: string[]) =>
  reportFiles(
    names.map((name) => join(folder, 'in', name)),
    join(folder, 'scratch'),
  )
const hits = { general: { hits: 1 } }
const passed = { verdict: 'passed', rules: [] }

test.each<[string, Record<string, string | Buffer> | (() => Promise<Record<string, Buffer>>), string]>([
  ['a folder', { 'testreport.xml': report, 'scorecard.xml': scorecard }, ''],
  [
    'the shallowest in a folder',
    { 'a/b/c/testreport.xml': '<testreport/>', 'b/r/testreport.xml': report, 'b/r/scorecard.xml': scorecard },
    '',
  ],
  ['a file, with what is beside it', { 'x.xml': report, 'scorecard.xml': scorecard }, 'x.xml'],
  [
    'an archive with many files that are only named like reports',
    async () => {
      const data = Array.from({ length: 10_001 }, (_, i): [string, string] => [`a/results/${i}.json`, '{}'])
      return { r: await tarGzOf([...data, ['a/testreport.xml', report], ['a/scorecard.xml', scorecard]]) }
    },
    'r',
  ],
  [
    'an archive that is the only file of a ZIP',
    async () => {
      const inner = await tarGzOf([
        ['testreport.xml', report],
        ['scorecard.xml', scorecard],
      ])
      return { r: zipOf([['inner.tgz', inner]]) }
    },
    'r',
  ],
])('%s is read', async (_, files, name) => {
  await put(typeof files === 'function' ? await files() : files)
  expect(await readReport(await filesAt(name))).toMatchObject({ report: hits, scorecard: passed })
})

test('a file that was packed is read, but has no XML for xpath gates', async () => {
  await put({ 'testreport.xml.gz': gzipSync(report) })
  const { report: read, lack, ...rest } = await readReport(await filesAt('testreport.xml.gz'))
  expect(read).toMatchObject(hits)
  expect(rest).toEqual({})
  expect(lack?.('requests', 'p93')).toBeUndefined()
})

test.each<[string, Record<string, string>, string[], RegExp]>([
  ['nothing', { 'a/x.txt': '' }, [''], /^There is no report that can be read\. Looked for XLT/],
  ['text', { 'n.txt': 'to do' }, ['n.txt'], /^n\.txt is text, and is no report or archive/],
  ['an empty file', { 'n.xml': '' }, ['n.xml'], /^n\.xml is empty, and is no report/],
  ['other XML', { 'x.xml': '<other/>' }, ['x.xml'], /^x\.xml is XML or HTML text, and is no report/],
  [
    'two reports',
    { 'a/testreport.xml': report, 'b/testreport.xml': report },
    [''],
    /^The report folder contains 2 reports, such as a\/testreport\.xml, b\/testreport\.xml\. Name one of them: only/,
  ],
  [
    'two files that are no samples',
    { 'a/testreport.xml': report, 'b/testreport.xml': report },
    ['a/testreport.xml', 'b/testreport.xml'],
    /^The files are 2 reports, such as a-testreport\.xml, b-testreport\.xml\. Name one of them: only/,
  ],
  [
    'a file beside another that is none',
    { 'testreport.xml': report, 'n.txt': 'to do' },
    ['testreport.xml', 'n.txt'],
    /^n\.txt is text/,
  ],
])('%s is refused', async (_, files, names, sentence) => {
  await put(files)
  await expect(filesAt(...names)).rejects.toThrow(sentence)
})

test.each(['testreport.xml', 'scorecard.xml'])('a link in the place of a %s is refused', async (name) => {
  await put({ 'testreport.xml': report, target: report })
  await rm(join(folder, 'in', name), { force: true })
  await symlink(join(folder, 'in', 'target'), join(folder, 'in', name))
  await expect(filesAt('')).rejects.toThrow(`is refused: its entry "${name}" is a link`)
})

test('a link beside a given file is refused only where the file is read with it', async () => {
  await put({ 'x.xml': report, 'y.json': '{}' })
  await symlink(join(folder, 'in', 'y.json'), join(folder, 'in', 'other.json'))
  expect((await readReport(await filesAt('x.xml'))).report).toMatchObject(hits)
  await symlink(join(folder, 'in', 'y.json'), join(folder, 'in', 'scorecard.xml'))
  await expect(filesAt('x.xml')).rejects.toThrow('its entry "scorecard.xml" is a link')
})

test('what lies in a folder of Git is not read', async () => {
  await put({ '.git/testreport.xml': report, 'a/.GIT/testreport.xml': report })
  await expect(filesAt('')).rejects.toThrow('There is no report')
})

test('a file above its limit is refused, packed or not', async () => {
  await put({ 'testreport.xml': report })
  await truncate(join(folder, 'in', 'testreport.xml'), 256_000_001)
  await expect(filesAt('')).rejects.toThrow(
    'testreport.xml of the report is refused: it has more than 256.0 MB',
  )
  // More than 100 MB, in members that are packed once.
  const blanks = gzipSync(Buffer.alloc(10_000_000, ' '))
  await put({ 'packed.gz': Buffer.concat([gzipSync(report), ...Array<Buffer>(11).fill(blanks)]) })
  const [part] = (await filesAt('packed.gz')).parts
  const read = async () => {
    for await (const chunk of part.bytes()) expect(chunk.length).toBeGreaterThan(0)
  }
  await expect(read()).rejects.toThrow('unpacks to more than 200 times its own size')
})

test('what is taken is one archive in which it is found again', async () => {
  await put({ 'nightly.xml': report, 'scorecard.xml': scorecard, '.env': 'TOKEN=1' })
  const target = join(folder, 'taken')
  const file = await takeReport([join(folder, 'in', 'nightly.xml')], target, signal)
  expect(file).toMatchObject({ kind: 'tar.gz', path: target, suspicious: [] })
  const again = await reportFiles([target], join(folder, 'again'))
  expect([...again.parts, ...again.beside].map(({ name }) => name)).toEqual([
    'report/testreport.xml',
    'report/scorecard.xml',
  ])
  await put({ 'r/testreport.xml': report, 'r/.env': 'TOKEN=1', 'r/.git/config': 'secret' })
  const whole = await takeReport([join(folder, 'in', 'r')], target, signal)
  expect(whole.suspicious).toEqual(['r/.env'])
  expect(whole.files?.parts).toMatchObject([{ file: join(folder, 'in', 'r', 'testreport.xml') }])
  const bytes = await readFile(target)
  const copy = await takeReport([target], join(folder, 'copy'), signal)
  expect(copy).toMatchObject({ kind: 'tar.gz', bytes: bytes.length, suspicious: ['r/.env'] })
  expect((await readFile(copy.path)).equals(bytes)).toBe(true)
})

test('a folder with a link in it is not taken', async () => {
  await put({ 'testreport.xml': report })
  await symlink('/etc', join(folder, 'in', 'etc'))
  await expect(takeReport([join(folder, 'in')], join(folder, 'taken'), signal)).rejects.toThrow(
    'The report folder is refused: its entry "in/etc" is a link',
  )
})

const gatling: [string, string][] = [
  [
    'g/js/stats.js',
    'var stats = { type: "GROUP", stats: { "numberOfRequests": { "total": "2" }, "percentiles1": { "total": "7" } } }',
  ],
  [
    'g/index.html',
    '<title>Gatling Stats - Global Information</title><th id="col-8"><span>95th pct</span></th></html>',
  ],
  ['g/old/js/stats.js', 'var stats = { type: "GROUP" }'],
  ['g/ajs/stats.js', 'var stats = { type: "GROUP", stats: { "numberOfRequests": { "total": "3" } } }'],
]
const jmeter: [string, string][] = [
  [
    'g/content/js/dashboard.js',
    'createTable($("#statisticsTable"), {"titles": ["50% a", "95% a", "99% a"]})',
  ],
  ['g/statistics.json', '{"Total": {"sampleCount": 2, "pct2ResTime": 7}}'],
  ['g/old/statistics.json', '{"Total": {"sampleCount": 3}}'],
  ['g/acontent/js/dashboard.js', 'createTable($("#statisticsTable"), {"titles": ["1% a", "2% a", "3% a"]})'],
]
test.each([
  ['Gatling', gatling],
  ['JMeter', jmeter],
])('what lies in a folder below is read with a report of %s', async (_, entries) => {
  const same = { timers: { requests: { summary: { count: 2, percentiles: { p95: 7 } } } } }
  await put({
    'there.tgz': await tarGzOf(entries),
    'back.tgz': await tarGzOf(entries.toReversed()),
    'a.zip': zipOf(entries),
    ...Object.fromEntries(entries),
  })
  for (const name of ['there.tgz', 'back.tgz', 'a.zip', 'g']) {
    const { report: read } = await readReport(await filesAt(name))
    expect(read).toMatchObject(same)
  }
  const [, main] = entries.map(([name]) => name)
  const taken = await takeReport([join(folder, 'in', main ?? '')], join(folder, 'taken'), signal)
  expect((await readReport(await reportFiles([taken.path], join(folder, 'again')))).report).toMatchObject(
    same,
  )
})

test('nothing is read through a linked folder below a report', async () => {
  await put(Object.fromEntries(jmeter))
  await rename(join(folder, 'in/g/content'), join(folder, 'elsewhere'))
  await symlink(join(folder, 'elsewhere'), join(folder, 'in/g/content'))
  for (const name of ['g', 'g/statistics.json']) expect((await filesAt(name)).beside).toEqual([])
})

describe('the charts of a report', () => {
  const charts = {
    'Errors.webp': 'errors',
    'requests/GET $2fa "b".webp': 'a',
    'requests/Login_Average.webp': 'average',
    'agents/All Agents/CpuUsage.webp': 'cpu',
    'Large.webp': Buffer.alloc(256_001),
    'x/Other.webp': 'other',
  }
  const files = (folder: string, part: Record<string, string | Buffer> = charts) =>
    Object.entries(part).map(([name, content]): [string, string | Buffer] => [
      `${folder}charts/${name}`,
      content,
    ])
  const seen = async (scratch: string) => {
    const found: Record<string, string> = {}
    for (const name of Object.keys(charts)) {
      const bytes = await chartsOf(join(folder, scratch))(`charts/${name}`)
      if (bytes) found[name] = bytes.toString()
    }
    return found
  }
  const kept = {
    'Errors.webp': 'errors',
    'requests/GET $2fa "b".webp': 'a',
    'agents/All Agents/CpuUsage.webp': 'cpu',
  }
  const nested = { 'Errors.webp': 'of another report' }
  const entries: [string, string | Buffer][] = [
    ...files('a/old/', nested),
    ...files('a/'),
    ['a/old/testreport.xml', '<testreport/>'],
    ['a/testreport.xml', report],
  ]

  test.each([
    ['a .tar.gz', () => tarGzOf(entries)],
    ['a .zip', async () => zipOf(entries)],
    ['an archive without a folder', () => tarGzOf([...files(''), ['testreport.xml', report]])],
  ])('%s: those that may be shown are put aside in the one pass', async (_, make) => {
    await put({ r: await make() })
    await takeReport([join(folder, 'in', 'r')], join(folder, 'taken'), signal)
    expect(await seen('taken')).toEqual(kept)
    await filesAt('r')
    expect(await seen('scratch')).toEqual(kept)
  })

  test('a folder, or the file in it: they are read where they are, and through no link', async () => {
    await put(Object.fromEntries([...entries, ['elsewhere/charts/Errors.webp', 'secret']]))
    await takeReport([join(folder, 'in', 'a')], join(folder, 'taken'), signal)
    const onDisk = { ...kept, 'requests/Login_Average.webp': 'average', 'x/Other.webp': 'other' }
    expect(await seen('taken')).toEqual(onDisk)
    await filesAt('a/testreport.xml')
    expect(await seen('scratch')).toEqual(onDisk)
    await rm(join(folder, 'in/a/charts/Errors.webp'))
    execFileSync('mkfifo', [join(folder, 'in/a/charts/Errors.webp')])
    expect(Object.keys(await seen('scratch'))).not.toContain('Errors.webp')
    await rm(join(folder, 'in/a/charts'), { recursive: true })
    await symlink(join(folder, 'in/elsewhere/charts'), join(folder, 'in/a/charts'))
    expect(await seen('scratch')).toEqual({})
  })

  test('of what is no report nothing stays, and other formats have none', async () => {
    await put({ broken: await tarGzOf(files('a/')), 'k6.json': '{"metrics":{}}' })
    await expect(takeReport([join(folder, 'in', 'broken')], join(folder, 'taken'), signal)).rejects.toThrow()
    expect(await seen('taken')).toEqual({})
  })

  test('of more than 2,000 the others are left where they are', async () => {
    const many = Array.from({ length: 2001 }, (_, at): [string, string] => [
      `charts/requests/${at}.webp`,
      `${at}`,
    ])
    await put({ r: await tarGzOf([...many, ['testreport.xml', report]]) })
    await filesAt('r')
    const at = (name: number) => chartsOf(join(folder, 'scratch'))(`charts/requests/${name}.webp`)
    expect([(await at(1999))?.toString(), await at(2000)]).toEqual(['1999', undefined])
  })
})
