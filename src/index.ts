import path from 'node:path'

// The main and the post step share one bundle. The runner starts the post step as dist/post.js, which only imports
// this file: by its name it is never mistaken for the main step, whatever happened to that one.
const isPost = path.basename(process.argv[1] ?? '') === 'post.js'
if (isPost) await (await import('./post.js')).postStep()
else await (await import('./main.js')).mainStep()
// Calls that were given up, such as an upload without an answer, must not keep the job running.
process.exit()
