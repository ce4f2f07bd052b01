import { readFileSync } from 'node:fs'
import process from 'node:process'
import { fileURLToPath } from 'node:url'

/**
 * The part of CHANGELOG.md about a version. The heading of an unfinished version says so, which that of a release
 * must not.
 *
 * @param tag such as v1.2.3
 * @param version of package.json
 * @throws Error if the tag, the version and the changelog disagree
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
  if (notes === '') throw new Error(`CHANGELOG.md says nothing about ${version}.`)
  return `${notes}\n`
}

// Node runs this file directly, without any package: see .github/workflows/release.yml.
if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string }
  process.stdout.write(releaseNotes(process.argv[2] ?? '', version, readFileSync('CHANGELOG.md', 'utf8')))
}
