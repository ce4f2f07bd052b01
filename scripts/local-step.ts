import { copyFile, mkdir, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { startGithub, type Github } from '../sandbox/github/github.js'
import { startJob } from '../sandbox/runner/job.js'
import type { GitHubOptions } from '../sandbox/runner/job-options.js'
import { otherNode } from '../sandbox/runner/node24.js'
import type { StepResult } from '../sandbox/runner/step-result.js'
import { resultPage } from './comment-page.js'

/** Runs the step of the committed dist/ as a GitHub runner would, on this machine, and shows what people read of it. */

export const root = fileURLToPath(new URL('..', import.meta.url))

interface LocalStep {
  /** What is checked out. Outside of any repository, the step believes the event, whose commits are made up. */
  workspace: string
  github: Github
  context: Partial<GitHubOptions> & { runId: number }
  inputs: Readonly<Record<string, string>>
  secrets: Readonly<Record<string, string>>
}

/** A folder for what people read, and the local GitHub that keeps its artifacts there. */
export interface Results {
  out: string
  github: Github
}

/** @param name of the folder in the project's; it is emptied */
export async function openResults(name: string): Promise<Results> {
  const node = otherNode()
  if (node !== undefined) console.log(node)
  const out = path.join(root, name)
  await rm(out, { recursive: true, force: true })
  await mkdir(path.join(out, 'store'), { recursive: true })
  return { out, github: await startGithub({ folder: path.join(out, 'store') }) }
}

/** The step and its post step, with their log on the console. */
export async function runLocally(step: LocalStep): Promise<StepResult> {
  const { workspace, github, context, inputs, secrets } = step
  const job = await startJob({
    workspace,
    secrets,
    github: { ...context, token: github.token(), apiUrl: github.url, workflow: 'Load test' },
    machineEnv: {
      GITHUB_WORKFLOW_REF: `${github.settings.repository}/.github/workflows/load-test.yml@refs/heads/main`,
    },
    artifactService: await github.artifactService(context.runId),
  })
  const onLine = (line: string) => console.log(`  ${line}`)
  const result = await job.runStep({ action: root, inputs, onLine }).done
  await job.finish({ onLine })
  await job.remove()
  console.log(`  The step ended as ${result.conclusion}, verdict ${result.outputs['verdict'] ?? 'unknown'}`)
  return result
}

/** A pull request of the local GitHub, as the event of a run. */
export function pullRequest(github: Github): Partial<GitHubOptions> {
  const { repository } = github.settings
  const repo = { full_name: repository, default_branch: 'main' }
  const head = { sha: 'fea7c0de5', ref: 'feature', repo }
  return {
    ...{ ref: 'refs/pull/7/merge', headRef: 'feature', baseRef: 'main', eventName: 'pull_request' },
    event: { pull_request: { number: 7, head, base: { ref: 'main', repo } } },
  }
}

/**
 * Writes comment, summary and artifacts of a run into the folder, and a page that shows or links them all.
 */
export async function showResult(
  out: string,
  github: Github,
  runId: number,
  { summary }: StepResult,
): Promise<void> {
  const comment = [...github.store.comments.values()].flat()[0]?.body
  await writeFile(path.join(out, 'summary.md'), summary)
  if (comment !== undefined) await writeFile(path.join(out, 'comment.md'), comment)
  const attached = github.store.artifacts.filter((artifact) => artifact.runId === runId)
  for (const artifact of attached) await copyFile(artifact.path, path.join(out, artifact.name))
  // The local GitHub has no pages: what was attached is beside the page instead.
  const local = (markdown: string) =>
    attached.reduce(
      (text, { id, name }) =>
        text.replaceAll(new RegExp(`https://github\\.com/[^\\s)]*/artifacts/${id}\\b`, 'g'), name),
      markdown,
    )
  const page = path.join(out, 'index.html')
  const shown = { comment: comment && local(comment), summary: local(summary) }
  await writeFile(page, await resultPage({ ...shown, files: attached.map(({ name }) => name) }))
  const address = pathToFileURL(page).href
  console.log(`\nOpen this page in a browser: what pull request and workflow run show\n\n  ${address}\n`)
}
