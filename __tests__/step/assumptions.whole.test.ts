import { forCases, rows } from './assumptions.js'

/** Each assumption of docs/internals/service.md, with the local service set the other way: the step and mode check. */
const service = forCases()

test.each(rows)('%s', async (_name, one) => {
  await service.try(one)
})
