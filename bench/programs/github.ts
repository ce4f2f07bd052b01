import { startGithub } from '../../sandbox/github/github.js'

/** The local GitHub; says the variables that a step finds it by. Ends with its input, and takes its artifacts along. */
const github = await startGithub()
console.log(JSON.stringify(await github.env()))
process.stdin.resume().once('end', () => void github.close().then(() => process.exit()))
