import { createRequire } from 'node:module'

const { default: Sequencer } = createRequire(import.meta.url)('@jest/test-sequencer')
const longest = ['situations', 'fault-matrix', 'assumptions', 'recipes.whole', 'scripts.whole']

/** The files that take minutes come first, whatever their size: no core waits at the end for one of them. */
export default class LongFirst extends Sequencer {
  sort(tests) {
    const rank = ({ path }) => {
      const place = longest.findIndex((name) => path.includes(`/${name}.`))
      return place < 0 ? longest.length : place
    }
    return super.sort(tests).toSorted((a, b) => rank(a) - rank(b))
  }
}
