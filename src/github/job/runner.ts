import { accessSync, appendFileSync, constants } from 'node:fs'
import { getProxyUrl } from '@actions/http-client/lib/proxy'
import { message } from '../../errors.js'

type Env = Readonly<Record<string, string | undefined>>

const files = ['GITHUB_OUTPUT', 'GITHUB_STATE', 'GITHUB_STEP_SUMMARY']
const addresses = ['GITHUB_API_URL', 'GITHUB_SERVER_URL', 'ACTIONS_RESULTS_URL', 'ACTIONS_RUNTIME_URL']

/**
 * What would fail the step only after a run is paid for: files of the runner that cannot be written, and addresses that
 * cannot be used. What is not set has its default.
 *
 * @returns sentences
 */
export function runnerFaults(env: Env): string[] {
  const unwritable = files.flatMap((name) => {
    const file = env[name]
    const fault = file ? whyUnwritable(file) : undefined
    return fault === undefined
      ? []
      : [`${name} names a file that cannot be written: ${fault}. Repair the runner.`]
  })
  const unknown = addresses.flatMap((name) => {
    const address = env[name]
    return address && !isAddress(address)
      ? [
          `${name} must be an address that begins with http:// or https://. Remove the variable from the workflow, or repair the runner.`,
        ]
      : []
  })
  return [...unwritable, ...unknown, ...(unknown.length === 0 && !hasProxy(env) ? [noProxy] : [])]
}

const noProxy =
  'The proxy for GitHub has an address that cannot be used: write one such as http://proxy.example.com:3128 in HTTPS_PROXY and HTTP_PROXY, or remove them.'

function whyUnwritable(file: string): string | undefined {
  try {
    accessSync(file, constants.R_OK | constants.W_OK)
    appendFileSync(file, '')
    return undefined
  } catch (error) {
    return message(error)
  }
}

function isAddress(text: string): boolean {
  return /^https?:\/\/[^/]/i.test(text) && URL.canParse(text)
}

/** Whether the proxy of each address, as GitHub's own client finds it, can be one. */
function hasProxy({ GITHUB_API_URL: api, ACTIONS_RESULTS_URL: results }: Env): boolean {
  const used = [api, results].map((address) => address || 'https://api.github.com')
  return used.every((address) => {
    try {
      const proxy = getProxyUrl(new URL(address))
      return proxy === undefined || (/^https?:$/.test(proxy.protocol) && proxy.hostname !== '')
    } catch {
      return false
    }
  })
}
