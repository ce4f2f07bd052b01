import '../confirm/second-look.test.js'
