import './start.js'
