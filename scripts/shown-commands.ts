import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'

/** How to try a command that the documents show. */
export type Trial =
  /** As shown, or, if that would take too long, with `instead`. */
  | { how: 'run'; instead?: string; why?: string }
  /** It runs until it is stopped: it is started, and stopped once it prints this. */
  | { how: 'start'; until: string; instead?: string; why?: string }
  /** Not here, for this reason. */
  | { how: 'elsewhere'; why: string }

/** Every command that the documents show, in the order of trials. */
export const trials: Readonly<Record<string, Trial>> = {
  'npm ci': { how: 'elsewhere', why: '.ci/run runs it; its packages serve here' },
  'npm run docs': { how: 'run' },
  'npm run bundle': { how: 'elsewhere', why: '.ci/run runs it' },
  'npm run demo': {
    how: 'run',
    instead: 'npm run demo -- --simulated',
    why: 'with the engine it takes minutes',
  },
  'npm run demo -- --regression': { how: 'elsewhere', why: 'a test runs it' },
  'npm run demo -- --engine': {
    how: 'elsewhere',
    why: 'it needs a JDK; npm run engine-check runs the engine',
  },
  'npm run engine-check': { how: 'elsewhere', why: 'minutes of load tests; .ci/run runs those of --brief' },
  'npm run engine-reports': { how: 'elsewhere', why: 'each run makes different reports; it needs a JDK' },
  'npm run noise-runs': { how: 'elsewhere', why: 'up to an hour of load tests; it needs a JDK' },
  'npm run sandbox': {
    how: 'start',
    until: 'OpenAPI document:',
    instead: 'npm run sandbox -- --port 0',
    why: 'the port may be taken',
  },
  "npm run step -- source=examples/webshop-suite 'gates=requests p95 <= 500 ms'": {
    how: 'elsewhere',
    why: 'it needs a sandbox beside it; a test pastes what npm run sandbox prints',
  },
  'npm run sandbox -- --engine': {
    how: 'elsewhere',
    why: 'it needs a JDK; npm run engine-check runs the engine',
  },
  'npm run sandbox -- --archives explicit': {
    how: 'start',
    until: 'OpenAPI document:',
    instead: 'npm run sandbox -- --port 0 --archives explicit',
    why: 'the port may be taken',
  },
  'npm test': { how: 'run', instead: 'npm test -- __tests__/text/duration', why: '.ci/run runs all of them' },
  'npm test -- __tests__/gates': {
    how: 'run',
    instead: 'npm test -- __tests__/gates/grammar',
    why: '.ci/run runs all of them',
  },
  'npm run test:whole': { how: 'elsewhere', why: '.ci/run runs it' },
  'npm run test:watch': { how: 'start', until: 'No tests found related to files changed' },
  'npm run format': { how: 'elsewhere', why: 'the two programs of npm run lint, in writing mode' },
  'npm run bench -- --only pack,read': {
    how: 'elsewhere',
    why: 'minutes; a test runs all paths with --quick',
  },
  'npm run bench -- --quick': { how: 'elsewhere', why: 'a test runs it' },
  'npm run bench': { how: 'elsewhere', why: 'about twenty minutes; a test runs it with --quick' },
  'npm run noise': { how: 'elsewhere', why: 'many minutes; a test runs a quick form' },
  'npm run noise -- sequences 20': { how: 'elsewhere', why: 'hours; a test runs a quick form' },
  'npm run mutation -- FILE…': { how: 'elsewhere', why: 'minutes of mutants' },
  'npm run pictures': {
    how: 'elsewhere',
    why: 'each run makes different pictures; a test shows whether the existing ones are up to date',
  },
  'npm run others': {
    how: 'elsewhere',
    why: "minutes with other people's programs; .ci/run runs those of --brief",
  },
  'npm run fault-matrix': { how: 'elsewhere', why: '.ci/run runs most of its rows with npm run test:whole' },
  'npm run lint': { how: 'elsewhere', why: '.ci/run runs it' },
  'npm run docs:commands': { how: 'elsewhere', why: 'this is it' },
  '.ci/programs': { how: 'elsewhere', why: '.ci/run runs it' },
  '.ci/run': { how: 'elsewhere', why: 'it runs this script' },
  'git tag v1.2.3': { how: 'elsewhere', why: 'a release' },
  'git push origin v1.2.3': { how: 'elsewhere', why: 'a release' },
}

/** The pages whose commands are tried. */
export function pages(root: string): string[] {
  const docs = readdirSync(path.join(root, 'docs'), { recursive: true, encoding: 'utf8' })
  return ['README.md', 'CONTRIBUTING.md', ...docs.map((name) => path.join('docs', name))].filter((name) =>
    name.endsWith('.md'),
  )
}

/** The commands of a Markdown page: those of its shell blocks, and spans of code such as `npm run lint`. */
export function commandsOf(markdown: string): string[] {
  const blocks = [...markdown.matchAll(/^```(?:sh|bash|shell|console)\n([\s\S]*?)^```/gm)]
  const lines = blocks.flatMap(([, body = '']) => body.replaceAll('\\\n', ' ').split('\n'))
  const rest = markdown.replace(/^```[\s\S]*?^```/gm, '')
  const spans = [...rest.matchAll(/`((?:npm|npx) [^`]*|\.ci\/[^`]*)`/g)].map(([, span = '']) => span)
  return [...lines, ...spans]
    .flatMap((line) => line.replace(/(^|\s)#.*$/, '').split('&&'))
    .map((command) => command.trim())
    .filter((command) => command !== '')
}

/** What the pages show, each command once. */
export function shownCommands(root: string): string[] {
  return [...new Set(pages(root).flatMap((page) => commandsOf(readFileSync(path.join(root, page), 'utf8'))))]
}

/** Commands without a trial, and trials of commands that are not shown. */
export function mismatch(shown: readonly string[]): { untried: string[]; stale: string[] } {
  return {
    untried: shown.filter((command) => !(command in trials)),
    stale: Object.keys(trials).filter((command) => !shown.includes(command)),
  }
}
