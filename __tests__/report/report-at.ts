import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import pathOf from 'node:path'
import { readReport, reportFiles } from '../../src/report/reading/report-reader.js'
import type { Figures, Report } from '../../src/report/report.js'

/** What a step reads at a path. */
export async function figuresAt(path: string): Promise<Figures> {
  return readReport(
    await reportFiles([path], pathOf.join(mkdtempSync(pathOf.join(tmpdir(), 'report-')), 'report')),
  )
}

export async function reportAt(path: string): Promise<Report> {
  return (await figuresAt(path)).report
}
