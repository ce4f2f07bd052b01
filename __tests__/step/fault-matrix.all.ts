import { testRows } from './fault-matrix-rows.js'

// Only npm run fault-matrix runs it.
testRows('all')
