import { checkBypass, getProxyUrl } from '@actions/http-client/lib/proxy'
import { oneLine } from '../text/foreign-text.js'

/** How a request gets to an address from here, as a sentence that says what to check if it does not arrive. */
export function routeAdvice(url: URL): string {
  const variable = url.protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY'
  const host = oneLine(url.host, 100)
  const proxy = getProxyUrl(url)
  if (proxy) {
    return `The request to ${host} goes through the proxy ${oneLine(proxy.host, 100)} of ${variable}: check both, or name ${host} in NO_PROXY.`
  }
  const configured = process.env[variable] ?? process.env[variable.toLowerCase()]
  if (configured && checkBypass(url)) {
    return `The request to ${host} bypasses the proxy of ${variable}, because NO_PROXY names it: check base-url.`
  }
  return `Check the spelling of ${host} in base-url. If this network needs a proxy, name it in ${variable}.`
}
