import { oneLine } from './foreign-text.js'

// By the last part of the name, in lower case. Each pattern is a literal or a plain suffix, so it is linear.
const suspects: readonly RegExp[] = [
  /^\.env(\.|$)/,
  /^\.envrc$/,
  /\.env$/,
  /\.(pem|key|p12|pfx|jks|keystore|ppk|kdbx|p8)$/,
  /^id_(rsa|dsa|ecdsa|ed25519)(_sk)?$/,
  /^[._]netrc$/,
  /^\.(npmrc|pypirc|pgpass|htpasswd|git-credentials|dockercfg|vault_pass|s3cfg|boto)$/,
  /^(credentials|credentials\.json|kubeconfig|settings-security\.xml)$/,
  /^service[-_]account.*\.json$/,
  /^secrets?\.(ya?ml|json|properties|toml|xml)$/,
]

const templates = /\.(example|sample|template|dist)$/

const folders: readonly RegExp[] = [
  /(^|\/)\.(ssh|gnupg|aws|azure|kube)\/[^/]+$/,
  /(^|\/)\.docker\/config\.json$/,
]

/** Whether a file's name suggests that it holds a secret; its content is not read. */
export function looksSecret(name: string): boolean {
  const lower = name.toLowerCase()
  const last = lower.slice(lower.lastIndexOf('/') + 1)
  if (templates.test(last)) return false
  return suspects.some((pattern) => pattern.test(last)) || folders.some((pattern) => pattern.test(lower))
}

/** `.env, id_rsa and 3 more`: files whose names look like secrets, for a sentence. */
export function namedSecrets(names: readonly string[]): string {
  const shown = names.slice(0, 10).map((name) => oneLine(name, 100))
  const more = names.length - shown.length
  return `${shown.join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}
