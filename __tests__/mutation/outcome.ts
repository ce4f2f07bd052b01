import '../outcome/outcome-checks.test.js'
import '../github/whose-run.test.js'
