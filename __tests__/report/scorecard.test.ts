import fc from 'fast-check'
import { ReportError } from '../../src/errors.js'
import { parseScorecard } from '../../src/report/formats/xlt-scorecard.js'

const parse = (inner: string) => parseScorecard(Buffer.from(`<scorecard>${inner}</scorecard>`))

describe('the verdict', () => {
  it.each([
    ['<outcome testFailed="false"/>', 'passed'],
    ['<outcome testFailed="true"/>', 'failed'],
    ['<outcome testFailed="false"><error>  </error></outcome>', 'passed'],
    ['<outcome testFailed="true"><error/></outcome>', 'failed'],
    ['<outcome testFailed="false"><error>no item found</error></outcome>', 'error'],
    ['<outcome testFailed="false"><error><message>no item found</message></error></outcome>', 'error'],
    ['<outcome testFailed="true"><error>no item found</error></outcome>', 'error'],
    ['<outcome><error>no item found</error></outcome>', 'error'],
    ['<outcome testFailed="false"><error/><error>no item found</error></outcome>', 'error'],
  ])('%s', async (outcome, verdict) => {
    const scorecard = await parse(outcome)
    expect(scorecard.verdict).toBe(verdict)
    expect(scorecard.error).toBe(verdict === 'error' ? 'no item found' : undefined)
  })

  it.each([
    ['', /no outcome/],
    ['<configuration/>', /no outcome/],
    ['<outcome/>', /no testFailed/],
    ['<outcome testFailed=""/>', /neither true nor false/],
    ['<outcome testFailed="maybe"/>', /neither true nor false/],
    ['<outcome testFailed="true"/><outcome testFailed="false"/>', /more than one outcome/],
  ])('is never invented: %s', async (inner, sentence) => {
    await expect(parse(inner)).rejects.toThrow(ReportError)
    await expect(parse(inner)).rejects.toThrow(sentence)
  })
})

const configuration = `<configuration version="2">
  <rules>
    <rule id="r1" name="Errors" enabled="true" failsTest="true" points="4"><checks><check index="0"><selector>//x</selector></check></checks></rule>
    <rule id="r2" name="" failsTest="false" points="7"/>
  </rules>
  <groups><group id="g" name="Basics" failsTest="true"><rules><rule ref-id="r1"/></rules></group></groups>
  <ratings><rating id="ok" name="Good enough" value="80"/></ratings>
</configuration>`

const outcome = `<outcome pointsPercentage="63.6" points="7" totalPoints="11" testFailed="true">
  <groups><group ref-id="g" points="7" totalPoints="11" testFailed="true"><rules>
    <rule ref-id="r1" points="0" testFailed="true"><checks><check index="0"><result>NOTPASSED</result><value>75</value></check>
      <check index="1"><result>PASSED</result><value>3</value></check></checks><result>NOTPASSED</result><message>Too many</message></rule>
    <rule ref-id="r2" points="7" testFailed="false"><checks/><result>PASSED</result></rule>
    <rule ref-id="gone" testFailed="false"><checks><check index="0"><result>ERROR</result><errorMessage>No item</errorMessage></check></checks><result>ERROR</result></rule>
  </rules><result>NOTPASSED</result><message>the group's</message></group></groups>
  <rating>ok</rating></outcome>`

describe('its rows', () => {
  it.each([
    ['outcome last', configuration + outcome],
    ['outcome first', outcome + configuration],
  ])('are joined by reference, with the %s', async (_order, inner) => {
    expect(await parse(inner)).toEqual({
      verdict: 'failed',
      points: 7,
      totalPoints: 11,
      pointsPercentage: 63.6,
      rating: 'Good enough',
      rules: [
        {
          name: 'Errors',
          group: 'Basics',
          result: 'not-passed',
          failsTest: true,
          failedTest: true,
          points: 0,
          totalPoints: 4,
          message: 'Too many',
          values: ['75', '3'],
        },
        {
          name: 'r2',
          group: 'Basics',
          result: 'passed',
          failsTest: false,
          failedTest: false,
          points: 7,
          totalPoints: 7,
          values: [],
        },
        {
          name: 'gone',
          group: 'Basics',
          result: 'error',
          failsTest: false,
          failedTest: false,
          message: 'No item',
          values: [],
        },
      ],
    })
  })

  it('leave out points and rating when the evaluation ended in an error', async () => {
    const scorecard = await parse(
      '<outcome points="1" totalPoints="2" testFailed="false"><rating>ok</rating><error>broken</error></outcome>',
    )
    expect(scorecard).toEqual({ verdict: 'error', error: 'broken', rules: [] })
  })

  it.each([
    ['<selector>//requests/request/errors</selector>', ['requests']],
    ['<selector>count(//errors/error)</selector>', undefined],
    ['<selector ref-id="s"/>', ['transactions']],
    [
      '<selector ref-id="s"/></check><check><selector>//actions/action/errorPercentage</selector>',
      ['transactions', 'actions'],
    ],
    ['<selector>//requests/request/mean</selector>', undefined],
    ['<selector ref-id="none"/>', undefined],
  ])('look at the errors of these timers: %s', async (selector, kinds) => {
    const rules = (more: string) =>
      `<configuration><selectors><selector id="s"><expression>//summary/transactions/errors</expression></selector></selectors><rules><rule id="r" ${more}><checks><check>${selector}</check></checks></rule></rules></configuration><outcome testFailed="false"/>`
    expect((await parse(rules(''))).errorsOf).toEqual(kinds)
    expect((await parse(rules('enabled="false"'))).errorsOf).toBeUndefined()
  })

  it.each([
    ['PASSED', 'passed'],
    ['NOTPASSED', 'not-passed'],
    ['FAILED', 'not-passed'],
    ['SKIPPED', 'skipped'],
    ['ERROR', 'error'],
    ['GREAT', 'error'],
    ['', 'error'],
  ])('of result "%s" are %s', async (result, expected) => {
    const { rules } = await parse(
      `<outcome testFailed="false"><groups><group ref-id="g"><rules><rule ref-id="r"><result>${result}</result></rule></rules></group></groups></outcome>`,
    )
    expect(rules.map((rule) => rule.result)).toEqual([expected])
  })
})

it('a scorecard with an error is never read as passed, whatever is cut or changed around it', async () => {
  const xml = Buffer.from(
    `<scorecard>${configuration}<outcome testFailed="false"><error>broken</error></outcome></scorecard>`,
  )
  const start = xml.indexOf('<outcome')
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.nat(start - 1), fc.nat(255)), { minLength: 1, maxLength: 5 }),
      fc.nat(xml.length),
      async (changes, length) => {
        const mutated = Buffer.from(xml)
        for (const [at, value] of changes) mutated[at] = value
        for (const bytes of [mutated, xml.subarray(0, length)]) {
          try {
            const { verdict } = await parseScorecard(bytes)
            expect(verdict).toBe('error')
          } catch (error) {
            if (!(error instanceof ReportError)) throw error
          }
        }
      },
    ),
    { numRuns: 100 },
  )
})
