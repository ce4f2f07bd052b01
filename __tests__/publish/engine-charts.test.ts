import { type ChartReader, digestWithCharts as digestPieces } from '../../src/publish/digest/digest.js'
import { secrets } from '../../src/text/redaction.js'
import { timerChart } from '../../src/report/reading/kept-charts.js'
import { regression, without } from './outcomes.js'
import { picture, webp } from './webp.js'

const digestWithCharts = async (...given: Parameters<typeof digestPieces>) =>
  (await digestPieces(...given)).join('')

/** A report of these charts, by their paths below `charts/`. */
const of =
  (now: Record<string, Buffer>, before: Record<string, Buffer> = {}): ChartReader =>
  async (which, chart) =>
    (which === 'now' ? now : before)[chart.replace(/^charts\/|\.webp$/g, '')]

const images = (html: string) =>
  [...html.matchAll(/<img ([^>]*)>/g)].map(([, all = '']) => all.replace(/base64,[^"]*/, 'base64,…'))

const captions = (html: string) =>
  [...html.matchAll(/<figcaption>([^<]*)<\/figcaption>(?=<(?:img|div class="pair"))/g)].map(([, text = '']) =>
    text.replaceAll('\u00a0', ' '),
  )

test('the charts of the whole run, then of what got slower, costliest first, each with its figure', async () => {
  const names = ['Search.Results', 'Homepage', 'Checkout.PlaceOrder', 'ProductDetail.Reviews']
  const wholeRun = [
    ...['Errors', 'RequestRuntime', 'RequestsPerSecond', 'ConcurrentUsers', 'ResponseCodesPerSecond'],
    'agents/All Agents/CpuUsage',
  ]
  const charts = [...wholeRun, ...names.map((name) => `requests/${name}`)]
  const html = await digestWithCharts(
    regression(),
    of(Object.fromEntries(charts.map((chart) => [chart, picture]))),
  )
  expect(captions(html)).toEqual([
    'Request runtime: p95 410 → 550 ms',
    'Requests per second: 53.3 /s → 53.3 /s',
    'Concurrent users: 20 users, ramp-up 1 min',
    'Errors: error rate of requests 0.127% → 0.127%',
    expect.stringMatching(/^Response codes per second: [\d,]+ × 200 OK, /),
    'CPU of the load generators: busiest 84.5%',
    'Checkout.PlaceOrder: p95 890 → 1,240 ms',
    'Search.Results: p95 640 → 870 ms',
    'ProductDetail.Reviews: p95 395 → 540 ms',
  ])
  expect(images(html)[0]).toBe(
    'src="data:image/webp;base64,…" width="1" height="1" alt="Chart over time. Request runtime: p95\u00a0410\u00a0→\u00a0550\u00a0ms"',
  )
  expect(html).toContain('img-src data:')
  expect(html).toMatch(/Compared with <a href="https:\/\/github\.com\/shop\/shop\/actions\/runs\/17"/)
})

test('a picture that holds a secret is left out', async () => {
  secrets.add('s3cret-of-the-service')
  const told = webp('VP8L', 900, 300, 100)
  told.write('<x:xmpmeta>s3cret-of-the-service', 40)
  const html = await digestWithCharts(regression(), of({ RequestRuntime: told, Errors: picture }))
  expect(captions(html)).toEqual(['Errors: error rate of requests 0.127% → 0.127%'])
})

test('what the baseline has stands before it, of a chart that both have', async () => {
  const now = { RequestRuntime: picture, 'requests/Search.Results': picture }
  const html = await digestWithCharts(
    regression(),
    of(now, { 'requests/Search.Results': webp('VP8L', 900, 300) }),
  )
  expect(images(html).map((one) => /width="(\d+)".*alt="(Chart[^.]*)\./.exec(one)?.slice(1))).toEqual([
    ['1', 'Chart over time'],
    ['900', 'Chart over time, before'],
    ['1', 'Chart over time, now'],
  ])
  const alone = await digestWithCharts(without(regression(), 'comparison'), of(now, now))
  expect(images(alone).join()).not.toContain('before')
})

test.each<[string, Buffer]>([
  ['HTML', Buffer.from('<!doctype html><script>alert(1)</script>'.padEnd(40))],
  ['SVG', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>')],
  ['PNG', Buffer.from('89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c489', 'hex')],
  ['nothing', Buffer.alloc(0)],
  ['only the magic', webp('VP8L', 900, 300).subarray(0, 16)],
  ['10,000 pixels', webp('VP8L', 10_000, 10_000)],
  ['4,001 pixels', webp('VP8X', 1, 4001)],
  ['16 million pixels wide', webp('VP8X', 1 << 24, 1)],
  ['lossy, of 4,001 pixels', webp('VP8 ', 4001, 1)],
  ['lossy, without a size', webp('VP8 ', 0, 300)],
  ['lossy, not a key frame', Buffer.from(webp('VP8 ', 9, 9).fill(0, 23, 26))],
  ['lossless, without its sign', Buffer.from(webp('VP8L', 9, 9).fill(0, 20, 21))],
  ['animated', Buffer.from(webp('VP8X', 9, 9).fill(2, 20, 21))],
  ['another part first', webp('EXIF', 9, 9)],
  ['cut', picture.subarray(0, -1)],
  ['with something behind it', Buffer.concat([picture, Buffer.from('<script>')])],
])('%s that is named .webp is not taken in, and named', async (_, bytes) => {
  const html = await digestWithCharts(regression(), of({ Errors: bytes, RequestRuntime: picture }))
  expect(images(html)).toHaveLength(1)
  expect(html).toContain(
    'Not shown, since it is no WebP picture of at most 4000\u00a0× 4000 pixels: charts/Errors.webp.',
  )
})

test.each([
  ['VP8 ', 4000, 4000],
  ['VP8L', 4000, 4000],
  ['VP8X', 4000, 4000],
  ['VP8L', 1, 1],
])('%s of %d × %d pixels is a picture', async (kind, width, height) => {
  const html = await digestWithCharts(regression(), of({ Errors: webp(kind, width, height) }))
  expect(images(html)[0]).toContain(`width="${width}" height="${height}"`)
})

test('the page stays below 2 MB, and says what it left out', async () => {
  const names = ['RequestRuntime', 'RequestsPerSecond', 'ConcurrentUsers', 'Errors', 'ResponseCodesPerSecond']
  const large = Object.fromEntries(names.map((name) => [name, webp('VP8L', 900, 300, 250_000)]))
  const html = await digestWithCharts(regression(), of(large, large))
  expect(Buffer.byteLength(html)).toBeLessThan(2_000_000)
  expect(images(html)).toHaveLength(4)
  expect(html).toContain(
    'Left out to keep this page small, and in the report: charts/ConcurrentUsers.webp, charts/Errors.webp, charts/ResponseCodesPerSecond.webp.',
  )
})

test.each([
  ['Login', 'charts/requests/Login.webp'],
  ['GET /a?b="c"&d=1;e [200]', 'charts/requests/GET $2fa$3fb=$22c$22&d=1$3be [200].webp'],
  ['50%, #1 a\\b|c*<d>:$', 'charts/requests/50$25$2c $231 a$5cb$7cc$2a$3cd$3e$3a$24.webp'],
])('the chart of %s is called as the engine calls it', (name, file) => {
  expect(timerChart('requests', name)).toBe(file)
})
