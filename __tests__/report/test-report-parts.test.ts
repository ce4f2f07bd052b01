import { parseTestReport } from '../../src/report/test-report.js'

/* What becomes of each part of testreport.xml; of what should occur once, the first counts. */

const read = (xml: string) => parseTestReport(Buffer.from(`<testreport>${xml}</testreport>`))

test('an empty report has no figures at all', async () => {
  const none = { timers: [] }
  expect(await read('')).toEqual({
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
