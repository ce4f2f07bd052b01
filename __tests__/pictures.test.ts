import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { picturedComments, picturedHistory, picturedWeek } from '../scripts/faces.js'
import type { LoadTestOutcome } from '../src/outcome/outcome.js'
import { renderDigest } from '../src/publish/digest/digest.js'

const read = (name: string) => readFileSync(`docs/pictures/${name}`)
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
const failed = JSON.parse(read('outcome.json').toString()) as LoadTestOutcome
const week = await picturedWeek()
const comments = picturedComments(failed)

test('the pictures are up to date; if not, run npm run pictures', async () => {
  expect(JSON.parse(read('shown.json').toString())).toEqual({
    digest: sha256(renderDigest(failed)),
    history: sha256(await picturedHistory()),
    comments: sha256(JSON.stringify(comments)),
    week: sha256(JSON.stringify(week)),
  })
})

const names = [
  ...['digest', 'history', 'week-tried'],
  ...Object.keys(comments).map((name) => `comment-${name}`),
  ...Object.keys({ ...week.summaries, ...week.comments }),
].map((name) => `${name}.png`)

test.each(names)('%s is a picture of 800 points, and not too large to load', (name) => {
  const picture = read(name)
  expect(picture.subarray(1, 4).toString()).toBe('PNG')
  expect(picture.readUInt32BE(16)).toBe(800)
  expect(picture.length).toBeLessThan(300_000)
})

test('no picture is left over, and README.md shows the first of them', async () => {
  expect(
    readdirSync('docs/pictures')
      .filter((name) => name.endsWith('.png'))
      .sort(),
  ).toEqual([...names].sort())
  for (const name of ['comment-failed.png', 'digest.png']) {
    expect(readFileSync('README.md', 'utf8')).toContain(`](docs/pictures/${name})`)
  }
})
