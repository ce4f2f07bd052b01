import { startGithub } from '../../sandbox/github/github.js'

/**
 * The local GitHub; prints the variables with which a step finds it. Ends with its input, and then deletes its
 * artifacts.
 */
const github = await startGithub()
console.log(JSON.stringify(await github.env()))
process.stdin.resume().once('end', () => void github.close().then(() => process.exit()))
