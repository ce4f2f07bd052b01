import { packSource } from '../../src/archive/archive.js'
import { timed } from './timed.js'

/** Packs like the step. */
const [, , source = '', target = '', worker = ''] = process.argv
await timed(() => packSource({ source, target, exclude: [], topLevel: 'bench', worker }))
