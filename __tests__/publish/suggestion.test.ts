import { parse } from 'yaml'
import { parseGatesFile, parseGates } from '../../src/language/language.js'
import { renderComment } from '../../src/publish/markdown/comment.js'
import { renderDigest } from '../../src/publish/digest/digest.js'
import { renderSummary } from '../../src/publish/markdown/summary.js'
import { suggestionText } from '../../src/publish/words/what-to-do.js'
import type { Suggestion } from '../../src/gates/suggested-gates.js'
import { decode } from './markdown-reader.js'
import { green, hostileNames, hostileSuggestion, suggested } from './outcomes.js'

const lines = [
  'gates: |',
  '  transactions error-rate <= 0.5% # 6 runs: 0 to 0.25%, 3,600 samples',
  '  requests p95 <= baseline + 10% # 6 runs: 612 to 640 ms, noise ±4%',
  '  request "Search" mean <= baseline + 10% # 6 runs: 90 ms, noise ±5.2%',
  '  requests p95 <= 760 ms # 6 runs: 612 to 640 ms, noise ±4%',
]

test('summary and digest have the lines to copy in a fold, the comment has none', () => {
  const summary = renderSummary(suggested())
  const fold =
    /<details>\n<summary>Suggested gates: 4<\/summary>\n\n([^]*?)<\/details>/.exec(summary)?.[1] ?? ''
  expect(fold).toContain(`\`\`\`\n${lines.join('\n')}\n\`\`\`\n`)
  expect(fold).toContain('docs/gates.md#choose-a-limit')
  const pre = /<details><summary>Suggested gates: 4<\/summary>[^]*?<pre class="card">([^]*?)<\/pre>/
  expect(decode(pre.exec(renderDigest(suggested()))?.[1] ?? '').split('\n')).toEqual(lines)
  expect(renderComment(suggested(), 'key')).not.toContain('Suggested')
  expect(renderSummary(green())).not.toContain('Suggested')
  expect(renderDigest(green())).not.toContain('Gates that')
})

test('the lines are a file with gates, and the input gates of a workflow', () => {
  const { gates, faults } = parseGatesFile(lines.join('\n'), 'gates.yml')
  expect(faults).toEqual([])
  expect(gates.map(({ text }) => text)).toEqual(suggested().suggestion?.gates.map(({ gate }) => gate))
  const step = parse(['with:', ...lines.map((line) => `  ${line}`)].join('\n')) as { with: { gates: string } }
  expect(parseGates(step.with.gates)).toMatchObject({ faults: [], gates: [{}, {}, {}, {}] })
})

test('words say what the runs were, what the test can find, and what it cannot', () => {
  expect(suggestionText(suggested())).toMatchObject({
    lead: 'These gates rest on 6 runs. They say what is, not what should be.',
    notes: [
      'With this load, +20% of request "Search" is found in 3 of 10 runs; twice the duration: 6 of 10. ' +
        '+10% stands out from noise in 8 of 10 runs only if they are 5 times as long.',
      'Not suggested: request "Pay" mean. There are too few samples: 3 samples, and mean needs 5.',
    ],
  })
})

describe('words for other runs', () => {
  const of = (change: Partial<Suggestion>, figures = suggested().figures) => {
    const outcome = suggested()
    const { suggestion } = outcome
    if (!suggestion || !figures) throw new Error('the example has no suggestion')
    return suggestionText({ ...outcome, figures, suggestion: { ...suggestion, ...change } })
  }
  const power = (more: { longerForTenth?: number }) =>
    of({ power: [{ subject: 'request "Pay"', slower: 20, chance: 1, chanceIfTwice: 1, ...more }] })?.notes[0]

  test('one run says little, and two show no noise', () => {
    const first = of({ runs: 1, isAssumed: true })
    expect(first?.lead).toBe(
      'One run says little, so these limits leave room. They say what is, not what should be.',
    )
    expect(first?.block[2]).toMatch(/# 1 run: 612 to 640 ms, noise ±4%, assumed$/)
    expect(of({ runs: 2, isAssumed: true })?.lead).toBe(
      'These gates rest on 2 runs, too few to show their noise. They say what is, not what should be.',
    )
  })

  test('runs that show 10% already, and runs that never will', () => {
    expect(power({ longerForTenth: 1 })).toMatch(
      /in 10 of 10 runs; twice the duration: 10 of 10\. \+10% stands out from noise in 8 of 10 runs\.$/,
    )
    expect(power({})).toMatch(
      / stays within noise even if they are 50 times as long: compare with more runs\.$/,
    )
  })
})

test('a foreign name stays on its line, in Markdown and in HTML', () => {
  const outcome = hostileSuggestion()
  const summary = renderSummary(outcome)
  const block = /(`{3,})\ngates: \|\n([^]*?)\n\1\n/.exec(summary)?.[2]?.split('\n') ?? []
  expect(block).toHaveLength(hostileNames.length)
  for (const line of block) expect(line).toMatch(/^ {2}request "/)
  const html = /<pre class="card">([^]*?)<\/pre>/.exec(renderDigest(outcome))?.[1] ?? ''
  expect(html).not.toMatch(/[<>"'`]/)
  expect(decode(html).split('\n')).toEqual(['gates: |', ...block])
})
