import { packSource } from '../../src/archive/pack.js'
import { timed } from './timed.js'

/** Packs as the step does. */
const [, , source = '', target = '', worker = ''] = process.argv
await timed(() => packSource({ source, target, exclude: [], topLevel: 'bench', worker }))
