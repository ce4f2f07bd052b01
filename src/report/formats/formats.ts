import type { Format } from '../format.js'
import { xlt } from './xlt.js'

/** Every format of a report that is read. The first that recognises a file reads it. */
export const formats: readonly Format[] = [xlt]
