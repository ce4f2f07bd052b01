import { testRows } from './fault-matrix-rows.js'

// Run by npm run fault-matrix alone.
testRows('all')
