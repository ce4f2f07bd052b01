import { parentPort } from 'node:worker_threads'
import { ArchiveError } from '../errors.js'
import { deflate, type Deflated } from './deflate.js'
import type { DeflateAnswer, DeflateTask } from './deflate-threads.js'

async function answer({ files, to }: DeflateTask): Promise<void> {
  try {
    const entries = inOneBuffer(await deflate(files))
    const [first] = entries
    const message: DeflateAnswer = entries
    to.postMessage(message, first ? [first.data.buffer] : [])
  } catch (error) {
    // Anything else ends this thread, and the main thread notices that.
    if (!(error instanceof ArchiveError)) throw error
    const message: DeflateAnswer = { fault: error.message }
    to.postMessage(message)
  }
}

/** A single buffer of exactly the right size can be transferred; many small ones waste memory. */
function inOneBuffer(entries: readonly Deflated[]): (Deflated & { data: Uint8Array<ArrayBuffer> })[] {
  const all = new Uint8Array(entries.reduce((sum, { data }) => sum + data.length, 0))
  let end = 0
  return entries.map((entry) => {
    all.set(entry.data, end)
    const data = all.subarray(end, (end += entry.data.length))
    return { ...entry, data }
  })
}

// The thread that `deflateThreads` starts: the only file of archive/ that runs code on import.
parentPort?.on('message', (task: DeflateTask) => void answer(task))
