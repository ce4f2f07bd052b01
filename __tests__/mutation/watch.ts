import '../watch/end.test.js'
import '../watch/state.test.js'
