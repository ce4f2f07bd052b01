import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import AdmZip from 'adm-zip'
import type { Github } from '../../sandbox/github/github.js'
import type { Artifact } from '../../sandbox/github/store.js'
import type { StepResult } from '../../sandbox/runner/step-result.js'
import type { Outcome } from '../../src/outcome/outcome.js'
import { validateOutcome } from '../outcome-validator.js'
import type { Ran, Sandbox } from './sandbox.js'

/** Every text that left the step, by its place; archives are unpacked. */
export function published(sandbox: Sandbox, ran: Ran): Map<string, string> {
  const texts = new Map<string, string>()
  for (const stage of [ran, ...ran.post]) for (const [face, text] of faces(stage)) texts.set(face, text)
  const { store } = sandbox.github
  for (const comment of [...store.comments.values()].flat()) {
    comment.bodies.forEach((body, index) => texts.set(`comment ${comment.id}, body ${index}`, body))
  }
  for (const artifact of store.artifacts) texts.set(`artifact ${artifact.name}`, contentOf(artifact))
  store.requests.forEach(({ url, body }, index) =>
    texts.set(`request ${index} to GitHub`, `${url}\n${JSON.stringify(body)}`),
  )
  return texts
}

/** The output of one stage of a step: what a reader sees, and what the process wrote, with nothing hidden. */
function faces(stage: StepResult): [string, string][] {
  const { stage: name, log, outputs, state, annotations, summary, rawStderr } = stage
  return [
    [`${name}: log`, log],
    [`${name}: stdout`, withoutMasks(stage.rawStdout)],
    [`${name}: stderr`, rawStderr],
    [`${name}: outputs`, Object.values(outputs).join('\n')],
    [`${name}: state`, Object.values(state).join('\n')],
    [`${name}: annotations`, annotations.map(({ title, message }) => `${title}\n${message}`).join('\n')],
    [`${name}: summary`, summary],
  ]
}

/** Without the commands that ask the runner to hide something, since they must name it. */
function withoutMasks(stdout: string): string {
  return stdout
    .split('\n')
    .filter((line) => !line.startsWith('::add-mask::'))
    .join('\n')
}

/** The outcome of a kind that a step attached to this workflow run. */
export function outcomeIn<K extends Outcome['kind']>(
  kind: K,
  github: Github,
  runId: number,
  name = 'load-test-outcome.json',
): Extract<Outcome, { kind: K }> {
  const text = contentOf(github.store.artifact(name, runId) ?? { path: '' })
  const outcome = JSON.parse(text) as Extract<Outcome, { kind: K }>
  expect(outcome.kind).toBe(kind)
  expect(validateOutcome(outcome)).toEqual([])
  return outcome
}

export function contentOf({ path }: Pick<Artifact, 'path'>): string {
  const bytes = readFileSync(path)
  if (bytes.subarray(0, 2).equals(Buffer.from([0x1f, 0x8b]))) return gunzipSync(bytes).toString('utf8')
  if (bytes.subarray(0, 2).toString() !== 'PK') return bytes.toString('utf8')
  return new AdmZip(bytes)
    .getEntries()
    .map((entry) => `${entry.entryName}\n${entry.getData().toString('utf8')}`)
    .join('\n')
}

/** All ways to write a secret: plain, base64 at each alignment in a longer text, URL, form, JSON, XML. */
export function waysToWrite(secret: string): string[] {
  const escapes = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
  const address = encodeURIComponent(secret)
  const form = new URLSearchParams([['', secret]]).toString().slice(1)
  const hexLower = (text: string) => text.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase())
  const base64 = [0, 1, 2].map((shift) => base64Inside(secret, shift))
  return [
    ...new Set([
      secret,
      address,
      form,
      hexLower(address),
      hexLower(form),
      encodeURI(secret),
      JSON.stringify(secret).slice(1, -1),
      secret.replace(/[&<>"]/g, (sign) => Object.entries(escapes).find(([one]) => one === sign)?.[1] ?? sign),
      ...base64,
      ...base64.map((text) => text.replaceAll('+', '-').replaceAll('/', '_')),
    ]),
  ]
}

/** The digits that do not depend on the text before and after. */
function base64Inside(secret: string, shift: number): string {
  const bytes = Buffer.concat([Buffer.alloc(shift), Buffer.from(secret)])
  const digits = bytes.toString('base64').replaceAll('=', '')
  return digits.slice(Math.ceil((shift * 8) / 6), Math.floor((bytes.length * 8) / 6))
}
