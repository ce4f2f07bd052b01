import '../unpack/archive.test.js'
import '../unpack/tar.test.js'
