import { Folder } from './folder.js'
import { refusedMutants } from './mutants.js'

test('1500 changed archives end in a result or in an ArchiveError', async () => {
  const at = await Folder.make()
  try {
    const { refused } = await refusedMutants(at, 1500)
    expect(refused).toBeGreaterThan(1000)
  } finally {
    await at.remove()
  }
})
