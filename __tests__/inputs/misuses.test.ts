import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { parse } from 'yaml'
import { readInputs } from '../../src/inputs/inputs.js'
import type { OwnAction } from '../../src/outcome/outcome.js'
import { ownFolder } from '../own-folder.js'

/** What the inputs rule out, and the sentence that mends it. */
const misuses: [Record<string, string>, RegExp][] = [
  [{ gates: 'requests p95 <= baseline + 10%' }, /^gates, line 1: .*the input baseline is empty/],
  [{ gates: 'requests error-rate > 100%' }, /No run can pass this gate/],
  [
    { gates: 'requests p59 <= 500 ms' },
    /^gates, line 1: The report will have no p59, but p50, p95, p99, p99\.9\. Did you mean p50\?/,
  ],
  [
    {
      gates: 'requests p95 <= 1 s',
      properties: 'com.xceptance.xlt.reportgenerator.runtimePercentiles = 50 90',
    },
    /no p95, but p50, p90\. Did you mean p90\?/,
  ],
  [{ gates: 'action "Checkout" apdex >= 85' }, /No run can pass this gate/],
  [{ gates: 'requests errors <= 1%' }, /Did you mean error-rate\?/],
  [{ gates: 'requests p95 <= basline + 10%' }, /Did you mean baseline\?/],
  [{ gates: 'requests p95 <= 500 ms stict' }, /Did you mean strict\?/],
  [{ gates: 'wran: requests p95 <= 500 ms' }, /Write warn: before a gate/],
  [{ gates: 'http_req_duration: p(95)<500' }, /p\(95\) is not a metric\. Write, for example: requests p95/],
  [{ gates: 'requests p95 <= 1e300 ms' }, /1e300 is not a number/],
  [{ baseline: 'main' }, /baseline: artifact and baseline-branch: main/],
  [{ baseline: 'latest' }, /Did you mean artifact\?/],
  [{ baseline: 'artifact', 'baseline-workflow': 'nightly' }, /write the name of the workflow's file/],
  [{ 'baseline-branch': 'main' }, /has no effect without baseline: artifact/],
  [{ baseline: 'https://example.com/report.zip' }, /Download it in an earlier step, and write its path/],
  [{ baseline: '../report' }, /"\.\.\/report", but there is no such file or folder/],
  [{ confirm: 'true' }, /needs a baseline/],
  [{ timeout: '345' }, /write a duration such as 90s/],
  [{ 'pull-request': '#7' }, /write a whole number such as 17/],
  [{ source: 'false' }, /To upload nothing, write source: none/],
  [{ 'load-test': 'load-test:17' }, /write its number alone, 17\.$/],
  [{ 'load-test': 'https://lt.example.com/#/o/p/load-tests/17/settings' }, /write its number alone, 17\.$/],
  [{ baseline: '#17' }, /Did you mean load-test:17\?/],
  [{ baseline: 'old/report.zip' }, /"old\/report\.zip", but there is no such file or folder/],
  [{ gates: 'pom.xlm' }, /"pom\.xlm", which does not exist in the workspace\. Did you mean pom\.xml\?/],
  [{ gates: 'config/' }, /"config", which could not be read: it is a folder/],
  [{ 'base-url': 'https://lt.example.com/#/demo-org/webshop' }, /write https:\/\/lt\.example\.com$/],
  [{ 'base-url': 'https://lt.example.com/x/public/api/v2' }, /write https:\/\/lt\.example\.com\/x$/],
  [{ 'load-test': '#17' }, /write its number alone, 17\.$/],
  [{ 'client-secret': 'secrets.XTC_SECRET' }, /^client-secret is the name of a secret, not its value/],
  [{ accept: 'true' }, /accept is "true": write the name of one label/],
  [{ gates: 'none' }, /"none" is not a subject\. To judge without gates, leave gates empty\.$/],
  [{ gates: 'requests p95 <= "500 ms"' }, /Write a number with its unit, without quotes/],
  [{ gates: 'requests p95 <= 1 s, requests errors = 0' }, /Each line is one gate/],
  [{ gates: '["requests p95 <= 1 s"]' }, /Each line is one gate/],
  [{ gates: '// slow\nrequests p95 <= 1 s' }, /^gates, line 1, .*comments begin with #\.$/m],
  [{ gates: 'warning: requests p95 <= 1 s' }, /Write warn: before a gate that only warns/],
  [{ gates: '.github\\gates.yml' }, /Write \/ in its path\.$/],
  [{ baseline: 'none' }, /To compare with nothing, leave baseline empty\.$/],
  [{ baseline: 'load-test:latest' }, /write load-test:17\.$/],
  [{ accept: 'accepted-regression, slower' }, /write the name of one label/],
  [{ accept: '["accepted-regression"]' }, /write the name of one label/],
  [{ 'load-test': '"17"' }, /write its number alone, 17\.$/],
  [{ 'load-test': '0' }, /numbers begin with 1\.$/],
  [{ properties: '-Dwebshop.url=https://pr.example.com' }, /^properties, line 1: write it as key = value\.$/],
  [{ properties: '"webshop.url" = x' }, /^properties, line 1: write it as key = value\.$/],
  [{ 'run-page': 'https://lt.example.com/{{number}}' }, /with \{number\} in it/],
]

/** The same for actions that start nothing. */
const ownMisuses: [OwnAction, Record<string, string>, RegExp][] = [
  ['judge', { report: 'artifact' }, /^report is no path: .* or write artifact:NAME\.$/],
  ['judge', { report: 'https://lt.example.com/report.zip' }, /^report is no path: download the report/],
  ['merge', { legs: '- search\n- login' }, /^legs is not a list of names/],
  ['merge', { legs: '{"name": "search"}' }, /^legs is not a list of names/],
  ['merge', { needs: 'success' }, /write needs: \$\{\{ toJSON\(needs\) \}\}\.$/],
  ['merge', { 'pull-request': '#7' }, /write a whole number/],
  ['history', { gates: 'gates.yaml' }, /does not exist in the workspace/],
]

const workspace = ownFolder()
mkdirSync(path.join(workspace, 'config'))
mkdirSync(path.join(workspace, 'src'))
writeFileSync(path.join(workspace, 'pom.xml'), '<project/>\n')
writeFileSync(path.join(workspace, 'config/project.properties'), 'loadtests = TBrowse\n')

const usual = {
  'base-url': 'https://loadtest.example.com',
  'client-id': 'id',
  'client-secret': 'secret',
  organization: 'demo-org',
  project: 'webshop',
  'load-test': '1',
  'github-token': 'ghs_0123456789',
}
const ofLoadTest = misuses.map(([inputs, sentence]) => ['load-test', inputs, sentence] as const)

test.each([...ofLoadTest, ...ownMisuses])('%s: %j', (action, inputs: Record<string, string>, sentence) => {
  const file = action === 'load-test' ? 'action.yml' : `${action}/action.yml`
  const declared = parse(readFileSync(file, 'utf8')) as { inputs: Record<string, { default?: string }> }
  const given: Record<string, string> = action === 'load-test' ? { ...usual, ...inputs } : inputs
  const valueOf = (name: string) => given[name] ?? declared.inputs[name]?.default ?? ''
  const { faults } = readInputs(action, valueOf, { workspace, env: {} })
  const told = [...faults.inputs, ...faults.gates].join('\n')
  expect(told).toMatch(sentence)
  expect(told).not.toContain(workspace)
})
