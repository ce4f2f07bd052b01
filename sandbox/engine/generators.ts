import { existsSync } from 'node:fs'
import path from 'node:path'
import { run } from './child.js'
import { engineProgram } from './programs.js'

export interface Generating {
  /** The engine's home. */
  home: string
  javaHome: string
  /** Where the program runs and logs. */
  folder: string
  signal: AbortSignal
}

/**
 * Makes the report from the results.
 *
 * @param range the part of the run that it covers, as arguments of the engine such as `-from +10s`; default: all
 * @returns what the engine printed
 * @throws Error if there is no report
 */
export async function makeReport(
  generating: Generating,
  {
    results,
    target,
    charts,
    range = [],
  }: {
    results: string
    target: string
    charts: boolean
    range?: readonly string[]
  },
): Promise<string[]> {
  const shown = ['-timezone', 'UTC', '-linkToResults', 'no', ...(charts ? [] : ['-noCharts'])]
  const args = [...shown, ...range, '-o', target]
  return generate('report', generating, [...args, results], path.join(target, 'testreport.xml'))
}

/** Evaluates the scorecard of a report again, with the configuration in it. */
export async function makeScorecard(
  generating: Generating,
  { report, target }: { report: string; target: string },
): Promise<void> {
  await generate('scorecard', generating, ['-o', target, report], path.join(target, 'scorecard.xml'))
}

async function generate(
  program: 'report' | 'scorecard',
  { home, javaHome, folder, signal }: Generating,
  args: readonly string[],
  expected: string,
): Promise<string[]> {
  const { code, lastLines } = await run(engineProgram(program, { home, javaHome, cwd: folder, args }), {
    signal,
  })
  if (code === 0 && existsSync(expected)) return lastLines
  const told = lastLines.filter((line) => !/^\s+at /.test(line)).slice(-6)
  throw new Error(`The engine made no ${program}. Its last lines:\n${told.join('\n')}`)
}
