import './gates.js'
import '../actions/change-points.test.js'
import '../comparison/steps.test.js'
