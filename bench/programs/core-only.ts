import * as core from '@actions/core'

/** The smallest possible step: it reads an input and fails. */
core.setFailed(`load-test is ${core.getInput('load-test') || 'empty'}`)
