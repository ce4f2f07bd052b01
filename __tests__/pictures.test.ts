import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { Outcome } from '../src/outcome.js'
import { renderComment } from '../src/publish/comment.js'
import { renderDigest } from '../src/publish/digest.js'

const read = (name: string) => readFileSync(`docs/pictures/${name}`)
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

test('the pictures of README.md show what the faces look like now; else run npm run pictures', () => {
  const outcome = JSON.parse(read('outcome.json').toString()) as Outcome
  expect(JSON.parse(read('shown.json').toString())).toEqual({
    comment: sha256(renderComment(outcome, 'pictures')),
    digest: sha256(renderDigest(outcome)),
  })
})

test.each(['comment.png', 'digest.png'])('%s is a picture that README.md shows', (name) => {
  const picture = read(name)
  expect(picture.subarray(1, 4).toString()).toBe('PNG')
  const [width, height] = [picture.readUInt32BE(16), picture.readUInt32BE(20)]
  expect(Math.min(width, height)).toBeGreaterThan(600)
  expect(readFileSync('README.md', 'utf8')).toContain(`](docs/pictures/${name})`)
})
