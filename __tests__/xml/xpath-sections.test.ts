import path from 'node:path'
import { writeFileSync } from 'node:fs'
import { readXmlTree } from '../../src/xml/xml-tree.js'
import { missingSection } from '../../src/xml/expression.js'
import { ownFolder } from '../own-folder.js'

const folder = ownFolder()

const report = '<testreport><errors/><requests/><summary><requests/></summary></testreport>'

test.each([
  ['count(/testreport/errors/error)', undefined],
  ['count(/testreport/events/event)', 'events'],
  ['count( / testreport / child::events )', 'events'],
  ['count(testreport/events)', 'events'],
  ['count(/*/events)', 'events'],
  ['count(/child::testreport/child::events)', 'events'],
  ['count(/testreport[1]/events/event)', 'events'],
  ['count(/*[1]/events)', 'events'],
  ['count((/testreport)/events)', 'events'],
  ['count(/testreport/summary[1]/actions)', 'summary/actions'],
  ['/testreport/summary/requests/count', undefined],
  ['/testreport/summary/actions/count', 'summary/actions'],
  // Not asked for by its whole path, or not a path at all.
  ['count(//event)', undefined],
  ['string("/testreport/events")', undefined],
  ['1 (: /testreport/events :)', undefined],
  ['count(/testreport/node())', undefined],
  ['count(/testreport/errors) + count(/testreport/agents)', 'agents'],
])('%s misses %s', async (expression, missing) => {
  const file = path.join(folder, 'testreport.xml')
  writeFileSync(file, report)
  const tree = await readXmlTree(file, { bytes: 10_000, nodes: 1000 })
  expect(missingSection(expression, tree)).toBe(missing)
})
