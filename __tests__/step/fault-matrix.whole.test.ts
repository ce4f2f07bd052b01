import { testRows } from './fault-matrix-rows.js'

testRows('whole')
