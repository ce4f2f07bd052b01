import '../report/report-glob.test.js'
import '../report/scorecard.test.js'
import '../report/test-report.test.js'
