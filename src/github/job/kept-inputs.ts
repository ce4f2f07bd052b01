import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto'
import * as core from '@actions/core'
import { fieldsOf, parsedJson } from '../../text/fields.js'

type Env = Readonly<Record<string, string | undefined>>

/* The runner empties the inputs of a post step if its action is part of a composite action inside another one. */

/** What the post step reads. */
const kept = [
  'mode',
  'base-url',
  'client-id',
  'organization',
  'project',
  'load-test',
  'run-number',
  'run-page',
  'report',
  'upload',
  'delete-archive',
  'results-artifact',
  'comment',
  'pull-request',
  'comment-key',
  'matrix-leg',
]
const secret = ['client-secret', 'github-token']

const algorithm = 'aes-256-gcm'
const [ivBytes, tagBytes] = [12, 16]

/**
 * Keeps the inputs for the post step. The state is a file on the runner: secrets are sealed in it with a token that only
 * actions of this job have, and left out if there is none.
 */
export function keepInputs({ ACTIONS_RUNTIME_TOKEN: token }: Env): void {
  core.saveState('inputs', JSON.stringify(valuesOf(kept)))
  if (token) core.saveState('sealed-inputs', sealed(JSON.stringify(valuesOf(secret)), token))
}

/** Reads an input in the post step: as it was kept, otherwise as the runner gives it. */
export function keptInputs({ ACTIONS_RUNTIME_TOKEN: token }: Env): (name: string) => string {
  const open = core.getState('inputs')
  const hidden = token ? unsealed(core.getState('sealed-inputs'), token) : ''
  const values = { ...fieldsOf(parsedJson(open)), ...fieldsOf(parsedJson(hidden)) }
  return (name) => {
    const value = values[name]
    return typeof value === 'string' ? value : core.getInput(name)
  }
}

function valuesOf(names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, core.getInput(name)]))
}

function keyOf(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}

function sealed(text: string, token: string): string {
  const iv = randomBytes(ivBytes)
  const cipher = createCipheriv(algorithm, keyOf(token), iv)
  const content = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
  return Buffer.concat([iv, cipher.getAuthTag(), content]).toString('base64')
}

/** Empty if it was sealed with another token. */
function unsealed(text: string, token: string): string {
  const bytes = Buffer.from(text, 'base64')
  if (bytes.length < ivBytes + tagBytes) return ''
  const decipher = createDecipheriv(algorithm, keyOf(token), bytes.subarray(0, ivBytes))
  decipher.setAuthTag(bytes.subarray(ivBytes, ivBytes + tagBytes))
  try {
    return Buffer.concat([decipher.update(bytes.subarray(ivBytes + tagBytes)), decipher.final()]).toString(
      'utf8',
    )
  } catch {
    return ''
  }
}
