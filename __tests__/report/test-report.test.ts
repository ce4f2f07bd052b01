import fc from 'fast-check'
import { ReportError } from '../../src/errors.js'
import { numberOf } from '../../src/report/elements.js'
import { dateOf, parseTestReport } from '../../src/report/formats/xlt-report.js'
import { portions } from '../unpack/archives.js'

function parse(inner: string) {
  return parseTestReport(
    Buffer.from(`<?xml version="1.0" encoding="UTF-8"?>\n<testreport>${inner}</testreport>`),
  )
}

async function refusal(bytes: string | Uint8Array): Promise<string> {
  const error: unknown = await parseTestReport(Buffer.from(bytes)).then(
    () => undefined,
    (fault: unknown) => fault,
  )
  expect(error).toBeInstanceOf(ReportError)
  return error instanceof Error ? error.message : ''
}

const checkout = `
  <name>Checkout</name>
  <labels>order checkout</labels>
  <count>200</count>
  <countPerSecond>0.667</countPerSecond><countPerMinute>40.000</countPerMinute><countPerHour>2400.000</countPerHour>
  <countPerDay>57600.000</countPerDay>
  <errors>3</errors><errorPercentage>1.500</errorPercentage>
  <min>12</min><max>4800</max><median>310.000</median><mean>355.125</mean><deviation>80.500</deviation>
  <percentiles><p50>310.000</p50><p95>700.000</p95><p99.9>4800.000</p99.9><p99.95>4801</p99.95></percentiles>`

const checkoutTimer = {
  name: 'Checkout',
  count: 200,
  errors: 3,
  countPerSecond: 0.667,
  countPerMinute: 40,
  countPerHour: 2400,
  min: 12,
  max: 4800,
  mean: 355.125,
  median: 310,
  deviation: 80.5,
  percentiles: { p50: 310, p95: 700, 'p99.9': 4800, 'p99.95': 4801 },
}

describe('timers', () => {
  it.each([
    ['transactions', 'transactions', 'transaction'],
    ['actions', 'actions', 'action'],
    ['requests', 'requests', 'request'],
    ['pageLoads', 'pageLoadTimings', 'pageLoadTiming'],
    ['customTimers', 'customTimers', 'customTimer'],
  ] as const)('of kind %s are read with their summary', async (kind, list, item) => {
    const report = await parse(
      `<${list}><${item}>${checkout}</${item}><${item}><name>Other</name></${item}></${list}>
       <summary><${list}><name>All</name><count>7</count></${list}></summary>`,
    )
    expect(report.timers[kind]).toEqual({
      summary: { name: 'All', count: 7, percentiles: {} },
      timers: [checkoutTimer, { name: 'Other', percentiles: {} }],
    })
    const others = Object.entries(report.timers).filter(([name]) => name !== kind)
    expect(others.every(([, section]) => section.timers.length === 0 && section.summary === undefined)).toBe(
      true,
    )
  })

  it.each([
    ['<count>8</count><errors>1</errors><errorPercentage>12.5</errorPercentage>', undefined],
    ['<count>8</count><errors>1</errors><errorPercentage>-1</errorPercentage>', -1],
    ['<count>8</count><errorPercentage>12.5</errorPercentage>', 12.5],
    ['<errors>1</errors><errorPercentage>12.5</errorPercentage>', 12.5],
  ])('keep of %s the percentage that count and errors do not say', async (figures, kept) => {
    const { timers } = await parse(`<actions><action><name>a</name>${figures}</action></actions>`)
    expect(timers.actions.timers[0]?.errorPercentage).toBe(kept)
  })

  it('with a count of 0 keep only count and errors, since nothing was measured', async () => {
    const { timers } = await parse(
      `<summary><customTimers><name>All</name><count>0</count><errors>0</errors><errorPercentage>0.000</errorPercentage>
       <min>0</min><mean>0.000</mean><countPerSecond>0.000</countPerSecond><percentiles><p95>0.000</p95></percentiles></customTimers></summary>`,
    )
    expect(timers.customTimers.summary).toEqual({
      name: 'All',
      count: 0,
      errors: 0,
      percentiles: {},
    })
  })

  it('leave out a figure whose text is not a number', async () => {
    const { timers } = await parse(
      `<requests><request><name>r</name><count>1,021</count><errors/><mean>NaN</mean><max>0x10</max><min> 5 </min>
       <percentiles><p95>-</p95><p99>1E+3</p99></percentiles></request></requests>`,
    )
    expect(timers.requests.timers).toEqual([{ name: 'r', min: 5, percentiles: { p99: 1000 } }])
  })

  it('have an apdex unless the engine says that there are no samples', async () => {
    const { timers } = await parse(
      `<actions><action><name>a</name><apdex><longValue>0.93 [4.0]</longValue><value>0.93</value></apdex></action>
       <action><name>b</name><apdex><longValue>NS [4.0]</longValue><value>NS</value></apdex></action></actions>`,
    )
    expect(timers.actions.timers.map(({ apdex }) => apdex)).toEqual([0.93, undefined])
  })

  it.each([
    [
      'two of a name',
      '<request><name>Login</name></request>'.repeat(2),
      'two of its requests are named "Login", so',
    ],
    ['one with a figure twice', '<request><mean>1</mean><mean>2</mean></request>', 'mean of a timer twice'],
    [
      'two rows for all',
      '</requests><summary><requests/><requests/></summary><requests>',
      'two rows for all its',
    ],
  ])('are refused if their figures are ambiguous: %s', async (_, rows, sentence) => {
    expect(await refusal(`<testreport><requests>${rows}</requests></testreport>`)).toContain(sentence)
  })

  it('accept no percentile with a strange name, and nothing from a prototype', async () => {
    const { timers } = await parse(
      `<requests><request><name>__proto__</name><percentiles><__proto__>1</__proto__><constructor>2</constructor><p95>3</p95></percentiles>
       <constructor>1</constructor><toString>2</toString></request></requests>`,
    )
    expect(timers.requests.timers).toEqual([{ name: '__proto__', percentiles: { p95: 3 } }])
  })
})

describe('other parts', () => {
  it('say when the run was, and how much it sent', async () => {
    const { general } = await parse(
      `<general><startTime>2026-01-17 10:15:00 UTC</startTime><endTime>2026-01-17 10:25:00 UTC</endTime>
        <duration>600</duration><hits>9</hits><bytesSent>10</bytesSent><bytesReceived>11</bytesReceived></general>`,
    )
    expect(general).toEqual({
      ...{ startTime: Date.UTC(2026, 0, 17, 10, 15), endTime: Date.UTC(2026, 0, 17, 10, 25) },
      ...{ duration: 600, hits: 9, bytesSent: 10, bytesReceived: 11 },
    })
  })

  it('group errors by message, most frequent first, each place once', async () => {
    const error = (message: string, count: string, place: string) =>
      `<error><count>${count}</count><testCaseName>TOrder</testCaseName>${place}<message>${message}</message><trace>at x</trace></error>`
    const { errors } = await parse(
      `<errors>${error('timeout', '2', '<actionName>Login</actionName>')}${error('refused &lt;500&gt;', '4', '')}
       ${error('timeout', '3', '<actionName>Login</actionName>')}${error('timeout', '1', '<actionName>Pay</actionName>')}
       <error><testCaseName>TOrder</testCaseName></error><requestErrorOverviewCharts><chart><id>5</id></chart></requestErrorOverviewCharts></errors>`,
    )
    expect(errors).toEqual([
      { message: 'timeout', count: 6, places: ['Login', 'Pay'] },
      { message: 'refused <500>', count: 4, places: ['TOrder'] },
      { message: '(no message)', count: 1, places: ['TOrder'] },
    ])
  })

  it('never contain settings or the data of slow requests', async () => {
    const report = await parse(
      `<configuration><properties><property name="password" value="hunter2"/>hunter2</properties></configuration>
       <slowestRequests><request><name>hunter2</name><url>https://x/?token=hunter2</url><formData>hunter2</formData><count>1</count></request></slowestRequests>
       <requests><request><name>r</name><urls><total>1</total><list><string>hunter2</string></list></urls></request></requests>`,
    )
    expect(JSON.stringify(report)).not.toContain('hunter2')
    expect(report.timers.requests.timers.map(({ name }) => name)).toEqual(['r'])
  })
})

// What becomes of each part; of what should occur once, the first counts.
test('an empty report has no figures at all', async () => {
  const none = { timers: [] }
  expect(await parse('')).toEqual({
    timeStep: 10,
    comments: [],
    general: {},
    timers: { transactions: none, actions: none, requests: none, pageLoads: none, customTimers: none },
    webVitals: [],
    agents: [],
    errors: [],
    responseCodes: [],
    loadProfile: [],
  })
})

test.each([
  ['Download from 1 of 2 agent controllers failed', true],
  ['Nightly: download from 10 of 12 agent controllers failed.', true],
  ['Download from 1 of 1 agent controller failed', true],
  ['Download from some of 2 agent controllers failed', false],
])('a comment or name that says %s', async (text, isPartial) => {
  const expected = isPartial ? text : undefined
  expect((await parse(`<configuration><projectName>${text}</projectName></configuration>`)).partial).toBe(
    expected,
  )
  const comments = `<comments><string>a</string><string>  </string><string>${text}</string></comments>`
  const { partial, comments: kept } = await parse(`<configuration>${comments}</configuration>`)
  expect(partial).toBe(expected)
  expect(kept).toEqual(['a', text])
})

test.each([
  ['<logogram> XLT </logogram><version> 9.2.0 </version>', 'XLT 9.2.0'],
  ['<logogram>XLT</logogram><version>9.2.0</version><version>8</version><logogram>X</logogram>', 'XLT 9.2.0'],
  ['<version>9.2.0</version>', '9.2.0'],
  ['<logogram>XLT</logogram><version>?.?.?</version>', undefined],
  ['<logogram>XLT 9</logogram>', undefined],
])('the engine %s is %s', async (version, engine) => {
  expect((await parse(`<configuration><version>${version}</version></configuration>`)).engineVersion).toBe(
    engine,
  )
})

test('of all settings of the run only the elapsed time is read', async () => {
  const { general } = await parse(`<configuration><properties>
    <property name="com.xceptance.xlt.password" value="5"/>
    <property name="com.xceptance.xlt.loadtest.elapsed"/>
    <property name="com.xceptance.xlt.loadtest.elapsed" value="61500"/>
    <property name="com.xceptance.xlt.loadtest.elapsed" value="9"/>
  </properties></configuration>`)
  expect(general).toEqual({ elapsed: 61.5 })
})

describe('the load profile', () => {
  const profile = async (...cases: string[]) =>
    (
      await parse(
        `<configuration><loadProfile>${cases.map((one) => `<testCase>${one}</testCase>`).join('')}</loadProfile></configuration>`,
      )
    ).loadProfile

  test('has an entry for each scenario, with the settings that are not blank', async () => {
    expect(
      await profile(
        '<userName>TOrder</userName><testCaseClassName>com.Order</testCaseClassName><numberOfUsers> 5 </numberOfUsers><numberOfUsers>6</numberOfUsers><rampUp> </rampUp>',
        '<testCaseClassName>com.Pay</testCaseClassName><testCaseClassName>com.Other</testCaseClassName>',
        '<userName>TBrowse</userName><userName>Other</userName>',
      ),
    ).toEqual([
      { name: 'TOrder', settings: { numberOfUsers: '5' } },
      { name: 'com.Pay', settings: {} },
      { name: 'TBrowse', settings: {} },
    ])
  })

  test('has at most 200 settings for each, and none that could change what an object is', async () => {
    const many = Array.from({ length: 250 }, (_, at) => `<s${at}>1</s${at}>`).join('')
    const [first, second] = await profile(
      `<__proto__>7</__proto__>${many}`,
      '<numberOfUsers>5</numberOfUsers>',
    )
    expect(Object.keys(first?.settings ?? {})).toEqual(Array.from({ length: 200 }, (_, at) => `s${at}`))
    expect(second?.settings).toEqual({ numberOfUsers: '5' })
  })
})

test('load generators, one by one and on average', async () => {
  const agent = (name: string, ...[total, totalMax, own, ownMax]: number[]) =>
    `<name>${name}</name><totalCpuUsage><mean>${total}</mean><mean>1</mean><max>${totalMax}</max></totalCpuUsage><cpuUsage><mean>${own}</mean><max>${ownMax}</max></cpuUsage>`
  const { agents, agentSummary } = await parse(
    `<summary><agents>${agent('All', 40, 90, 30, 80)}</agents></summary>
     <agents><agent>${agent('a', 41, 91, 31, 81)}<transactions>7</transactions></agent><agent><name>b</name></agent></agents>`,
  )
  expect(agents).toEqual([
    { name: 'a', totalMean: 41, totalMax: 91, ownMean: 31, ownMax: 81, transactions: 7 },
    { name: 'b' },
  ])
  expect(agentSummary).toEqual({ totalMean: 40, totalMax: 90, ownMean: 30, ownMax: 80 })
})

test('web vitals: rows and figures that are missing in one are not those of the one before', async () => {
  const { webVitals } = await parse(`<webVitalsList>
    <webVitals><name>Home</name><lcp><score>900</score><rating> good </rating><goodCount>9</goodCount></lcp><cls><score>0.1</score></cls></webVitals>
    <webVitals><lcp><goodCount>9</goodCount></lcp><inp><score>80</score></inp></webVitals>
  </webVitalsList>`)
  expect(webVitals).toEqual([
    { name: 'Home', vitals: { lcp: { score: 900, rating: 'good', goodCount: 9 }, cls: { score: 0.1 } } },
    { name: '', vitals: { inp: { score: 80 } } },
  ])
})

test('response codes without a code or a count are none', async () => {
  const row = (...parts: string[]) => `<responseCode>${parts.join('')}</responseCode>`
  const { responseCodes } = await parse(
    `<responseCodes>${row('<code>200</code>', '<statusText> OK </statusText>', '<count>7</count>')}
     ${row('<code>404</code>')}${row('<count>3</count>')}${row('<code>503</code>', '<count>1</count>')}</responseCodes>`,
  )
  expect(responseCodes).toEqual([
    { code: 200, text: 'OK', count: 7 },
    { code: 503, text: '', count: 1 },
  ])
})

test('the parts of a request are means, the first counts; a request that never ran has none', async () => {
  const part = (name: string, mean: string) =>
    `<${name}><min>1</min><mean>${mean}</mean><mean>9</mean></${name}>`
  const { timers } = await parse(`<requests>
    <request><name>A</name><count>2</count>${part('connectTime', '1.5')}${part('serverBusyTime', '0')}
      ${part('receiveTime', '3')}${part('timeToLastBytes', '4')}${part('bytesReceived', '5')}${part('connectTime', '8')}</request>
    <request><name>B</name><count>2</count>${part('connectTime', 'x')}<serverBusyTime/></request>
    <request><name>C</name><count>0</count>${part('connectTime', '0')}</request>
  </requests>`)
  expect(timers.requests.timers.map(({ parts }) => parts)).toEqual([
    { connectTime: 1.5, serverBusyTime: 0, receiveTime: 3, timeToLastBytes: 4, bytesReceived: 5 },
    { connectTime: 9 },
    undefined,
  ])
})

test('events need a name and a count; what is missing in one is not that of the one before', async () => {
  const { events } = await parse(`<events>
    <event><name> Out of stock </name><testCaseName>TOrder</testCaseName><totalCount>7</totalCount><totalCount>8</totalCount>
      <messages><message><count>3</count><info>Product 1</info></message></messages></event>
    <event><name>Retry</name><totalCount>0</totalCount></event>
    <event><name>No count</name></event><event><name> </name><totalCount>1</totalCount></event>
  </events>`)
  expect(events).toEqual([
    { name: 'Out of stock', transaction: 'TOrder', count: 7 },
    { name: 'Retry', count: 0 },
  ])
})

test('custom values: one that was never reported has no figures', async () => {
  const { customValues } = await parse(`<customValues>
    <customValue><name>CartSize</name><count>4</count><min>-1</min><mean>2.5</mean><max>5</max><mean>9</mean></customValue>
    <customValue><name>Stock</name><mean>3</mean></customValue>
    <customValue><name>Never</name><count>0</count><min>0</min><mean>0</mean></customValue>
    <customValue><mean>3</mean></customValue>
  </customValues>`)
  expect(customValues).toEqual([
    { name: 'CartSize', count: 4, min: -1, mean: 2.5, max: 5 },
    { name: 'Stock', mean: 3 },
    { name: 'Never', count: 0 },
  ])
})

test('of more than 10,000 events or custom values the first are read', async () => {
  const many = (xml: string) => xml.repeat(10_001)
  const { events, customValues } = await parse(
    `<events>${many('<event><name>A</name><totalCount>1</totalCount></event>')}</events>
     <customValues>${many('<customValue><name>A</name></customValue>')}</customValues>`,
  )
  expect([events?.length, customValues?.length]).toEqual([10_000, 10_000])
})

describe('dates', () => {
  it.each([
    ['2026-01-17 10:15:00 UTC', '2026-01-17T10:15:00.000Z'],
    ['2017-11-24 12:59:02.110 CET', '2017-11-24T11:59:02.110Z'],
    ['2017-11-24 13:04:02.74 CET', '2017-11-24T12:04:02.074Z'],
    ['2026-07-01 00:30:00 CEST', '2026-06-30T22:30:00.000Z'],
    ['2026-07-01 00:30:00 GMT-05:30', '2026-07-01T06:00:00.000Z'],
    ['2026-07-01T00:30:00Z', '2026-07-01T00:30:00.000Z'],
    ['2026-07-01 00:30:00 +0200', '2026-06-30T22:30:00.000Z'],
  ])('%s', (text, iso) => {
    expect(new Date(dateOf(text) ?? Number.NaN).toISOString()).toBe(iso)
  })

  it.each([
    '',
    'soon',
    '2026-01-17',
    '2026-13-17 10:15:00 UTC',
    '2026-02-30 10:15:00 UTC',
    '2026-01-17 10:15:00',
    '2026-01-17 10:15:00 CST',
    '2026-01-17 25:15:00 UTC',
  ])('left out: %s', (text) => {
    expect(dateOf(text)).toBeUndefined()
  })
})

describe('numbers', () => {
  it('are read as JavaScript reads them, if they can have been measured', () => {
    const decimal = fc.tuple(fc.bigInt(0n, 10n ** 17n), fc.nat(16)).map(([digits, places]) => {
      const text = digits.toString().padStart(places + 1, '0')
      return places === 0 ? text : `${text.slice(0, -places)}.${text.slice(-places)}`
    })
    fc.assert(
      fc.property(decimal, (text) => {
        const value = Number(text)
        const isMeasurable = value === 0 || (value >= 1e-9 && value <= 8.64e15)
        expect(numberOf(text)).toBe(isMeasurable ? value : undefined)
      }),
      { numRuns: 400 },
    )
  })

  const odd = '. 5. .5 1.2.3 1,000 0x1f Infinity NaN 1e999 1E308 8640000000000001 1e-10 1_000 --1 ١'
  it.each(['', ' ', ...odd.split(' '), '1'.repeat(200)])('are refused: "%.20s"', (text) => {
    expect(numberOf(text)).toBeUndefined()
  })
})

describe('the document', () => {
  it.each([
    ['nothing', '', /is empty/],
    ['three bytes', '<te', /root element/],
    ['an unfinished root', '<testreport><requests><request><name>a', /truncated: <testreport> is not closed/],
    ['an unfinished tag', '<testreport', /well-formed/],
    ['a comparison report', '<diffreport><summary/></diffreport>', /root is <diffreport>, not <testreport>/],
    ['a web page', '<html><body>Sign in</body></html>', /root is <html>/],
    ['a namespace', '<x:testreport xmlns:x="y"/>', /root is <x:testreport>/],
    [
      'a document type',
      '<!DOCTYPE testreport [<!ENTITY a "b">]><testreport>&a;</testreport>',
      /document type/,
    ],
    ['an external one', '<!DOCTYPE testreport SYSTEM "file:///etc/passwd"><testreport/>', /document type/],
    ['an unknown entity', '<testreport>&a;</testreport>', /undefined entity/],
    ['an entity named like a property', '<testreport>&constructor;</testreport>', /undefined entity/],
    ['wrong nesting', '<testreport><a></b></a></testreport>', /well-formed/],
    ['text after the end', '<testreport/>more', /well-formed/],
    ['two roots', '<testreport/><testreport/>', /well-formed/],
    ['deep nesting', `<testreport>${'<a>'.repeat(100_000)}`, /64 deep/],
    ['deep nesting where it is read', `<testreport>${'<requests>'.repeat(100_000)}`, /64 deep/],
    [
      'many attributes',
      `<testreport ${Array.from({ length: 5000 }, (_, i) => `a${i}=""`).join(' ')}/>`,
      /64 attributes/,
    ],
    [
      'a long text',
      `<testreport><a>${'x'.repeat(17 * 1024 * 1024)}</a></testreport>`,
      /text of more than 16.0 MB/,
    ],
    [
      'a long name',
      `<testreport><requests><request><name>${'x'.repeat(20_000)}</name></request></requests></testreport>`,
      /name of more/,
    ],
    ['another encoding', '<?xml version="1.0" encoding="ISO-8859-1"?><testreport/>', /written in ISO-8859-1/],
    ['bytes that are not UTF-8', Buffer.from([...Buffer.from('<testreport>'), 0xe4, 0x20]), /not UTF-8/],
    ['half a character', Buffer.from([...Buffer.from('<testreport>'), 0xe2, 0x82]), /truncated/],
    ['UTF-16', Buffer.from('\ufeff<testreport/>', 'utf16le'), /UTF-16/],
    ['UTF-16 without a mark', Buffer.from('<testreport/>', 'utf16le'), /UTF-16/],
  ])('is refused: %s', async (_name, text, sentence) => {
    expect(await refusal(text)).toMatch(sentence)
  })

  it('causes only harmless messages', async () => {
    expect(await refusal('<testreport>\u202e&\n::error::x;</testreport>')).not.toMatch(/[\n\u202e]/)
  })

  it('may have a byte-order mark, comments, CDATA and entities, in portions of any size', async () => {
    const xml = Buffer.from(
      `\ufeff<?xml version="1.0"?><!-- <requests> --><testreport><requests><request><name>Käse 🧀 &amp; <![CDATA[<b>]]>&#x20;&quot;</name>
       <count>3</count></request></requests><skipped>&amp;&lt;<deep>&gt;</deep></skipped><configuration><projectName>P&amp;Q</projectName></configuration></testreport>\n`,
    )
    for (const size of [1, 2, 3, 7, 64, 100_000]) {
      const report = await parseTestReport(portions(xml, size))
      expect(report.timers.requests.timers).toEqual([{ name: 'Käse 🧀 & <b> "', count: 3, percentiles: {} }])
      expect(report.projectName).toBe('P&Q')
    }
  })

  it('is read, or refused with a sentence, when cut anywhere or changed at random', async () => {
    const xml = Buffer.from(
      `<?xml version="1.0" encoding="UTF-8"?><testreport><general><hits>5</hits><startTime>2026-01-17 10:15:00 UTC</startTime></general>
       <actions><action>${checkout}<apdex><value>1.00</value></apdex></action></actions><errors><error><count>1</count><message>ä &lt;x&gt;</message></error></errors>
       <configuration><loadProfile><testCase><userName>u</userName><a>1</a></testCase></loadProfile></configuration></testreport>`,
    )
    for (let length = 0; length < xml.length; length += 3) await refusal(xml.subarray(0, length))
    const edit = fc.tuple(
      fc.nat(xml.length),
      fc.nat(10),
      fc.oneof(
        fc.uint8Array({ maxLength: 5 }),
        fc
          .constantFrom('<', '>', '&', '</', '<a>', ']]>', '<!--', '&#0;', '<![CDATA[')
          .map((text) => Buffer.from(text)),
      ),
    )
    await fc.assert(
      fc.asyncProperty(
        fc.array(edit, { minLength: 1, maxLength: 4 }),
        fc.integer({ min: 1, max: 200 }),
        async (edits, size) => {
          let mutated: Buffer = xml
          for (const [at, drop, insert] of edits) {
            mutated = Buffer.concat([mutated.subarray(0, at), insert, mutated.subarray(at + drop)])
          }
          const [whole, streamed] = await Promise.all([
            resultOf(parseTestReport(mutated)),
            resultOf(parseTestReport(portions(mutated, size))),
          ])
          // What is read from a file does not depend on the portions in which it arrives.
          expect(typeof streamed).toBe(typeof whole)
          if (typeof whole !== 'string') expect(streamed).toEqual(whole)
        },
      ),
      { numRuns: 80 },
    )
  })
})

async function resultOf<T>(work: Promise<T>): Promise<T | string> {
  try {
    return await work
  } catch (error) {
    if (error instanceof ReportError) return error.message
    throw error
  }
}
