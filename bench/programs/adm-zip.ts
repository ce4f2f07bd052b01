import AdmZip from 'adm-zip'
import { timed } from './timed.js'

/** Packs as adm-zip does by default; Git's own files are left out. */
const [, , source = '', target = ''] = process.argv
await timed(async () => {
  const zip = new AdmZip()
  zip.addLocalFolder(source, 'bench', (name) => !name.startsWith('bench/.git/'))
  zip.writeZip(target)
})
