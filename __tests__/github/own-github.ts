import { startGithub, type Github } from '../../sandbox/github/github.js'

/** A GitHub for the tests of a file, closed after the last. */
export async function ownGithub(...options: Parameters<typeof startGithub>): Promise<Github> {
  const github = await startGithub(...options)
  afterAll(() => github.close())
  return github
}
