import '../github/chosen-pull.test.js'
import '../github/label-reading.test.js'
import '../github/own-runs.test.js'
import '../github/pull-request.test.js'
