import '../unpack/archive.test.js'
import '../unpack/result-archive.test.js'
import '../unpack/tar.test.js'
