import '../aftermath/aftermath.test.js'
