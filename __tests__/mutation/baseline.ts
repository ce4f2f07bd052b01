import '../baseline/baseline.test.js'
import '../baseline/source.test.js'
import '../github/whose-run.test.js'
