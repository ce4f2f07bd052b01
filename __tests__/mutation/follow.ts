import '../follow/end.test.js'
import '../follow/evidence.test.js'
import '../follow/collection.test.js'
