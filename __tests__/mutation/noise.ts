import './gates.js'
