import * as core from '@actions/core'

/** The least that a step can be: it looks at an input and fails. */
core.setFailed(`load-test is ${core.getInput('load-test') || 'empty'}`)
