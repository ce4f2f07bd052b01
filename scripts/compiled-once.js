import vm from 'node:vm'

const { compileFunction } = vm
/** What was compiled, by its file. */
const compiled = new Map()

/*
 * Each test file loads its modules anew. A worker compiles each CommonJS module, jest's own among them, once and then
 * takes V8's cached code.
 */
vm.compileFunction = (code, parameters, options) => {
  const known = compiled.get(options.filename)
  if (known?.code === code)
    return compileFunction(code, parameters, { ...options, cachedData: known.cachedData })
  const result = compileFunction(code, parameters, { ...options, produceCachedData: true })
  compiled.set(options.filename, { code, cachedData: result.cachedData })
  return result
}
