import { readFile, stat } from 'node:fs/promises'
import path from 'node:path'
import { writeLargeTestReport } from '../../sandbox/report/large.js'
import { all, figure, inFolder, parsed, sum } from './read-back.js'

test('a large test report has the requested size, and its summary covers its requests', async () => {
  await inFolder(async (folder) => {
    const file = path.join(folder, 'testreport.xml')
    await writeLargeTestReport(file, 3_000_000, 1)
    const size = (await stat(file)).size
    expect(size).toBeGreaterThanOrEqual(3_000_000)
    expect(size).toBeLessThan(3_020_000)
    const tree = parsed(await readFile(file, 'utf8'))
    const requests = all(tree, 'requests/request')
    expect(requests.length).toBeGreaterThan(300)
    expect(sum(requests, 'count')).toBe(figure(tree, 'summary/requests/count'))
    expect(sum(requests, 'errors')).toBe(figure(tree, 'summary/requests/errors'))
    expect(all(tree, 'errors/error').length).toBeGreaterThan(100)
    expect(all(tree, 'slowestRequests/request').length).toBeGreaterThan(100)
  })
})

test('the same size and seed give the same bytes; another seed gives others', async () => {
  await inFolder(async (folder) => {
    const write = async (name: string, seed: number) => {
      const file = path.join(folder, name)
      await writeLargeTestReport(file, 400_000, seed)
      return readFile(file, 'utf8')
    }
    const first = await write('a.xml', 1)
    expect(await write('b.xml', 1)).toBe(first)
    expect(await write('c.xml', 2)).not.toBe(first)
  })
})
