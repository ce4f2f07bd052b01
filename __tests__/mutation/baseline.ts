import '../baseline/json-schema.test.js'
import '../baseline/outcome-file.test.js'
import '../baseline/source.test.js'
