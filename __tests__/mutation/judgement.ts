import '../judgement/acceptance.test.js'
import '../judgement/judgement.test.js'
import '../judgement/label-record.test.js'
import '../publish/trend.test.js'
