import { readFile } from 'node:fs/promises'
import AdmZip from 'adm-zip'
import { packSource } from '../../src/archive/archive.js'
import { Folder } from './folder.js'

// archive.ts uses more of adm-zip than its documentation shows. If this fails after an update of adm-zip, its
// headers have changed: adapt archive.ts before the update goes in.
test('the archive equals, byte for byte, the one that adm-zip makes of the same files', async () => {
  const at = await Folder.make()
  const text = 'a line of text that can be deflated\n'.repeat(200)
  await at.write({ 'w/pom.xml': text, 'w/empty': '', 'w/ünï/ß.txt': `${text}!` })
  await at.write({ 'w/mvnw': `#!/bin/sh\n${text}` }, 0o755)
  await packSource({ source: at.at('w'), exclude: [], target: at.at('a.zip'), topLevel: 'top' })

  const own = new AdmZip({ noSort: true })
  const add = (name: string, content: string, mode: number): void => {
    const entry = own.addFile(`top/${name}`, Buffer.from(content), '', mode)
    entry.header.timeval = 0x0041_0000
    entry.header.made = 0x0314
  }
  add('empty', '', 0o644)
  add('mvnw', `#!/bin/sh\n${text}`, 0o755)
  add('pom.xml', text, 0o644)
  add('ünï/ß.txt', `${text}!`, 0o644)
  expect((await readFile(at.at('a.zip'))).toString('hex')).toBe(own.toBuffer().toString('hex'))

  const read = new AdmZip(at.at('a.zip')).getEntries()
  expect(read.map((entry) => entry.entryName)).toEqual([
    'top/empty',
    'top/mvnw',
    'top/pom.xml',
    'top/ünï/ß.txt',
  ])
  expect(read[2]?.getData().toString()).toBe(text)
  await at.remove()
})
