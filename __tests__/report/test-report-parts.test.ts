import { parseTestReport } from '../../src/report/formats/xlt-report.js'

/* What becomes of each part of testreport.xml; of what should occur once, the first counts. */

const read = (xml: string) => parseTestReport(Buffer.from(`<testreport>${xml}</testreport>`))

test('an empty report has no figures at all', async () => {
  const none = { timers: [] }
  expect(await read('')).toEqual({
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
  expect((await read(`<configuration><projectName>${text}</projectName></configuration>`)).partial).toBe(
    expected,
  )
  const comments = `<comments><string>a</string><string>  </string><string>${text}</string></comments>`
  const { partial, comments: kept } = await read(`<configuration>${comments}</configuration>`)
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
  expect((await read(`<configuration><version>${version}</version></configuration>`)).engineVersion).toBe(
    engine,
  )
})

test('of all settings of the run only the elapsed time is read', async () => {
  const { general } = await read(`<configuration><properties>
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
      await read(
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
  const { agents, agentSummary } = await read(
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
  const { webVitals } = await read(`<webVitalsList>
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
  const { responseCodes } = await read(
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
  const { timers } = await read(`<requests>
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
  const { events } = await read(`<events>
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
  const { customValues } = await read(`<customValues>
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
  const { events, customValues } = await read(
    `<events>${many('<event><name>A</name><totalCount>1</totalCount></event>')}</events>
     <customValues>${many('<customValue><name>A</name></customValue>')}</customValues>`,
  )
  expect([events?.length, customValues?.length]).toEqual([10_000, 10_000])
})
