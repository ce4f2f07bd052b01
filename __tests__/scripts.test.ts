import { spawn } from 'node:child_process'
import { once } from 'node:events'

test('npm run sandbox prints an address that answers, and the address of the pages', async () => {
  const sandbox = spawn(process.execPath, ['--import', 'tsx', 'scripts/sandbox.ts', '--port', '0'])
  try {
    const shown = await new Promise<string>((resolve, reject) => {
      let text = ''
      sandbox.stdout.on('data', (chunk: Buffer) => {
        text += chunk.toString()
        if (text.includes('OpenAPI document')) resolve(text)
      })
      sandbox.on('exit', () => reject(new Error(text)))
    })
    const value = (name: string) => new RegExp(`export ${name}=(\\S+)`).exec(shown)?.[1] ?? ''
    const answer = await fetch(`${value('LOADTEST_URL')}/oauth/token`, {
      method: 'POST',
      body: new URLSearchParams({
        client_id: value('LOADTEST_CLIENT_ID'),
        client_secret: value('LOADTEST_CLIENT_SECRET'),
        grant_type: 'client_credentials',
        scope: 'LOADTEST_LIST',
      }),
    })
    expect(answer.status).toBe(200)
    const home = await fetch(/in a browser: (\S+)/.exec(shown)?.[1] ?? '')
    expect(await home.text()).toContain('Projects of demo-org')
  } finally {
    const ended = once(sandbox, 'exit')
    sandbox.kill()
    await ended
  }
})
