import { execFileSync } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { quietRun, type SimulatedRun } from '../../sandbox/report/simulated-run.js'
import { python3 } from '../python.js'

/** Enough for tests that only check consistency. */
export const shortRun: SimulatedRun = { ...quietRun, endTime: quietRun.startTime + 120_000 }

/** An element as Python's own XML reader sees it. */
export interface Tree {
  tag: string
  attributes: Record<string, string>
  text: string
  children: Tree[]
}

const toJson = `
import json, sys, xml.etree.ElementTree as ET
def tree(e): return {'tag': e.tag, 'attributes': e.attrib, 'text': e.text or '', 'children': [tree(c) for c in e]}
print(json.dumps(tree(ET.fromstring(sys.stdin.buffer.read()))))
`

export function parsed(xml: string): Tree {
  const json = execFileSync(python3(), ['-S', '-c', toJson], { input: xml, maxBuffer: 64 * 1024 * 1024 })
  return JSON.parse(json.toString('utf8')) as Tree
}

/** All elements at a path such as "summary/requests". */
export function all(tree: Tree, place: string): Tree[] {
  return place
    .split('/')
    .reduce((found, tag) => found.flatMap((one) => one.children.filter((child) => child.tag === tag)), [tree])
}

/** The one element at a path. */
export function one(tree: Tree, place: string): Tree {
  const [found, ...more] = all(tree, place)
  if (!found || more.length > 0) throw new Error(`${place} is there ${found ? more.length + 1 : 0} times`)
  return found
}

export function text(tree: Tree, place: string): string {
  return one(tree, place).text
}

export function figure(tree: Tree, place: string): number {
  const value = Number(text(tree, place))
  if (!Number.isFinite(value)) throw new Error(`${place} is not a number: ${text(tree, place)}`)
  return value
}

export function sum(trees: Tree[], place: string): number {
  return trees.reduce((total, tree) => total + figure(tree, place), 0)
}

/** A folder for one test. */
export async function inFolder(use: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(path.join(tmpdir(), 'sandbox-report-'))
  try {
    await use(folder)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/**
 * A run based on `quietRun` with this many seconds; this many, as written in the report, were measured, with more
 * than this many requests.
 */
export function expectFiguresOf(tree: Tree, duration: number, period: string, requests: number): void {
  expect(figure(tree, 'general/duration')).toBe(duration)
  expect(text(tree, 'general/startTime')).toBe('2026-01-17 10:15:00 UTC')
  expect(figure(tree, 'summary/requests/count')).toBeGreaterThan(requests)
  expect(all(tree, 'configuration/loadProfile/testCase/measurementPeriod')[0]?.text).toBe(period)
  const end = text(tree, 'general/endTime')
  for (const request of all(tree, 'slowestRequests/request')) {
    expect(text(request, 'time') >= '2026-01-17 10:15:00 UTC' && text(request, 'time') <= end).toBe(true)
  }
}
