import { testRows } from './fault-matrix-rows.js'

// Two rows wait for all looks for a lost start: 137 s of the step's hurried clock, 7 s of ours.
testRows('daily')
