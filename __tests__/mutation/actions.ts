import '../actions/confirmation.test.js'
import '../actions/branch-history.test.js'
import '../actions/read-legs.test.js'
import '../judgement/judgement.test.js'
