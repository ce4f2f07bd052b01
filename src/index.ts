import path from 'node:path'

// Both steps share one bundle. The runner starts the post step as dist/post.js, which only imports this file:
// by its name alone it is never taken for the main step, whatever became of that one.
const isPost = path.basename(process.argv[1] ?? '') === 'post.js'
if (isPost) await (await import('./post.js')).postStep()
else await (await import('./main.js')).mainStep()
// What was given up, such as an upload without an answer, must not keep the job.
process.exit()
