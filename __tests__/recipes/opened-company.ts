import { contentOf } from '../step/published.js'
import type { WorkflowResult } from '../../sandbox/runner/workflow.js'
import { loadTests, openCompany, type Company, type Template } from './company.js'

/** The company that the current test has opened; it is closed after the test. */
let company: Company | undefined
/** The places in the documents of the workflows that a file's tests ran. */
export const executed = new Set<string>()

export const shop: Template = { number: 17, name: 'Shop' }
export const fromGit = { git: { url: 'https://git.example.com/shop/load-tests.git', branch: 'main' } }

/** A company whose runs are recorded. */
export async function open(...args: Parameters<typeof openCompany>): Promise<Company> {
  const opened = await openCompany(...args)
  company = opened
  const { run } = opened
  return {
    ...opened,
    run(shown, event, more) {
      executed.add(shown.from)
      return run(shown, event, more)
    },
  }
}

afterEach(async () => {
  await company?.close()
  company = undefined
})

function here(): Company {
  if (!company) throw new Error('No company is open.')
  return company
}

export const comments = () =>
  here()
    .github.store.commentsOf(7)
    .map(({ body }) => body)
/** The first line of each comment. */
export const headlines = () => comments().map((body) => body.split('\n', 1)[0])
export const starts = () => here().service.books.starts.map(({ template }) => template)
export const summaries = (result: WorkflowResult) => loadTests(result).map(({ summary }) => summary)
export const artifacts = ({ runId }: WorkflowResult) =>
  here()
    .github.store.artifactsOf(runId)
    .map(({ name }) => name)
    // The note of a started run, with a digest of the step in its name.
    .filter((name) => !/^load-test-(?:run|start)-/.test(name))
    .sort()
export const usual = ['load-test-digest.html', 'load-test-outcome.json', 'load-test-report.tar.gz']
export const suite = ['README.md', 'config/project.properties', 'pom.xml', 'src/main/java/TBrowse.java']

/** The published files of a run, by artifact name. */
export function artifact(name: string, { runId }: WorkflowResult): string {
  const found = here().github.store.artifact(name, runId)
  if (!found) throw new Error(`Run ${runId} has no artifact ${name}.`)
  return contentOf(found)
}
