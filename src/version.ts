import pkg from '../package.json' with { type: 'json' }

/** The action's version, as package.json has it. */
export const version: string = pkg.version
