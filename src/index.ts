import path from 'node:path'
import { actionOf } from './outcome/outcome.js'

// All actions and the post step share one bundle. The runner starts each by another file, such as dist/judge.js or
// dist/post.js, which only imports this one: its name says what is started, whatever happened to another step.
const name = path.basename(process.argv[1] ?? '', '.js')
if (name === 'post') await (await import('./post.js')).postStep()
else await (await import('./main.js')).mainStep(actionOf(name))
// The reader of a pipe may be late, and the end of a process does not wait for it. One that is gone reads nothing.
const written = (stream: NodeJS.WriteStream) =>
  new Promise<void>((done) => stream.once('error', () => done()).write('', () => done()))
await Promise.all([process.stdout, process.stderr].map(written))
// Calls that were given up, such as an upload without an answer, must not keep the job running.
process.exit()
