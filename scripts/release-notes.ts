import { readFileSync } from 'node:fs'
import process from 'node:process'
import { fileURLToPath } from 'node:url'

/**
 * The part of CHANGELOG.md about a version. A version that is not done yet says so in its heading, which a release
 * must not.
 *
 * @param tag such as v1.2.3
 * @param version of package.json
 * @throws Error where the tag, the version and the changelog do not agree
 */
export function releaseNotes(tag: string, version: string, changelog: string): string {
  if (tag !== `v${version}`) throw new Error(`The tag is ${tag}, but package.json has version ${version}.`)
  const section = changelog
    .split(/^## /m)
    .find((part) => part.startsWith(`${version}\n`) || part.startsWith(`${version} `))
  if (section === undefined) throw new Error(`CHANGELOG.md has no heading "## ${version}".`)
  const [heading = '', ...lines] = section.split('\n')
  if (heading.includes('unreleased')) throw new Error(`CHANGELOG.md says that ${version} is unreleased.`)
  const notes = lines.join('\n').trim()
  if (notes === '') throw new Error(`CHANGELOG.md says nothing of ${version}.`)
  return `${notes}\n`
}

// Node runs this file as it is, without any package: see .github/workflows/release.yml.
if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string }
  process.stdout.write(releaseNotes(process.argv[2] ?? '', version, readFileSync('CHANGELOG.md', 'utf8')))
}
