import '../baseline/baseline.test.js'
import '../github/whose-run.test.js'
