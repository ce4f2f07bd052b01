import { Folder } from './folder.js'
import { refusedMutants } from './mutants.js'

test('3000 changed archives end in a result or in an ArchiveError', async () => {
  const at = await Folder.make()
  try {
    const { refused } = await refusedMutants(at, 3000)
    expect(refused).toBeGreaterThan(2000)
  } finally {
    await at.remove()
  }
})
