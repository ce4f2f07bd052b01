// Not service.test.ts: it needs seconds for each mutant, and finds hardly one more.
import '../service/wire.test.js'
import '../service/download.test.js'
import '../service/failure.test.js'
import '../service/list.test.js'
import '../service/service.test.js'
import '../service/project.test.js'
import '../service/token.test.js'
import '../service/transport.test.js'
