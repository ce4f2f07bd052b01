import '../follow/bad-end.test.js'
import '../follow/collection.test.js'
import '../follow/end.test.js'
import '../follow/evidence.test.js'
