import '../collect/bad-end.test.js'
import '../collect/collection.test.js'
import '../collect/evidence.test.js'
import '../collect/judgement.test.js'
