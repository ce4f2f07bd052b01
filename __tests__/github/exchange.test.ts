import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:https'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import { makeAuthority } from '../step/authority.js'
import { portOf, serve } from '../step/front.js'

// In a separate process, since Node reads which authorities it trusts when it starts.
test('a redirect from https to http is not followed', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'exchange-'))
  const authority = makeAuthority(['IP:127.0.0.1'])
  let strayed = 0
  const plain = await serve((_, response) => {
    strayed++
    response.end('{}')
  })
  const server = createServer(authority.tls, (_, response) =>
    response.writeHead(302, { location: `${plain.url}/artifact` }).end('{"message":"This way"}'),
  )
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  try {
    const outfile = path.join(folder, 'exchange.mjs')
    await build({
      entryPoints: ['src/github/api/exchange.ts'],
      ...{ outfile, bundle: true, platform: 'node', format: 'esm', logLevel: 'silent' },
      banner: {
        js: "import { createRequire as requireOf } from 'node:module'; const require = requireOf(import.meta.url)",
      },
    })
    const url = `https://127.0.0.1:${portOf(server.address())}/artifact`
    const call = `import(${JSON.stringify(outfile)}).then(({ patiently, jsonOf }) =>
      patiently({ method: 'GET', url: new URL(${JSON.stringify(url)}) }, jsonOf, { debug() {} }))
      .catch((error) => console.log(error.message))`
    const { stdout } = await promisify(execFile)(process.execPath, ['-e', call], {
      env: { NODE_EXTRA_CA_CERTS: authority.file },
    })
    expect(stdout).toBe('GitHub answered with status 302: This way\n')
    expect(strayed).toBe(0)
  } finally {
    server.closeAllConnections()
    server.close()
    await plain.close()
    authority.remove()
    rmSync(folder, { recursive: true, force: true })
  }
})
