import '../accept/acceptance.test.js'
import '../accept/label-record.test.js'
