import './gates.js'
import '../actions/branch-history.test.js'
import '../comparison/change-points.test.js'
import '../comparison/compare.test.js'
