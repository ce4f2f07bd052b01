import { execFileSync } from 'node:child_process'
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
