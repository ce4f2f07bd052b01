import yauzl from 'yauzl'

/** So that a hostile archive cannot keep the step busy. */
const mostEntries = 200_000

/**
 * The ten largest entries of an archive, read from its list of entries alone; empty when that cannot be read. For the
 * message about an archive that is too large to be checked further.
 */
export async function largestEntries(path: string): Promise<{ name: string; bytes: number }[]> {
  const largest: { name: string; bytes: number }[] = []
  try {
    const zip = await yauzl.openPromise(path, { decodeStrings: false, validateEntrySizes: false })
    let seen = 0
    for await (const entry of zip.eachEntry()) {
      largest.push({ name: entry.fileNameRaw.toString('utf8'), bytes: entry.compressedSize })
      largest.sort((a, b) => b.bytes - a.bytes).splice(10)
      if (++seen >= mostEntries) break
    }
  } catch {
    // The size is the fault to report; the list only helps.
  }
  return largest
}
