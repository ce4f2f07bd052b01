import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'

/** The test's own CA, and a certificate that it signed. */
export interface Authority {
  /** Its own certificate, in PEM form. */
  file: string
  /** For a server with these names. */
  tls: { key: string; cert: string }
  remove(): void
}

/** @param names such as `DNS:localhost` or `IP:127.0.0.1` */
export function makeAuthority(names: readonly string[]): Authority {
  const folder = mkdtempSync(path.join(tmpdir(), 'authority-'))
  const openssl = (...args: string[]) => execFileSync('openssl', args, { cwd: folder, stdio: 'pipe' })
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2']
  openssl('req', '-x509', ...key, '-subj', '/CN=Own CA', '-keyout', 'ca.key', '-out', 'ca.pem')
  openssl('req', ...key.slice(0, 5), '-subj', '/CN=service', '-keyout', 'service.key', '-out', 'service.csr')
  writeFileSync(path.join(folder, 'names'), `subjectAltName=${names.join(',')}\n`)
  const signed = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial', '-days', '2', '-extfile', 'names']
  openssl('x509', '-req', '-in', 'service.csr', ...signed, '-out', 'service.pem')
  const read = (name: string) => readFileSync(path.join(folder, name), 'utf8')
  return {
    file: path.join(folder, 'ca.pem'),
    tls: { key: read('service.key'), cert: read('service.pem') },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}
