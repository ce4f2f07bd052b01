// Not service.test.ts: it needs seconds for each mutant, and finds hardly one more.
import '../service/failure.test.js'
import '../service/list-page.test.js'
import '../service/patience.test.js'
import '../service/start-answer.test.js'
import '../service/transport.test.js'
import '../service/state.test.js'
