import { testRows } from './fault-matrix-rows.js'

// npm run test:whole runs them all.
testRows(8)
