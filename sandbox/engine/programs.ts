import path from 'node:path'
import { harmlessEnvironment, type Command } from './child.js'

const classes = {
  master: 'com.xceptance.xlt.mastercontroller.MasterControllerMain',
  agents: 'com.xceptance.xlt.agentcontroller.AgentControllerMain',
  report: 'com.xceptance.xlt.report.ReportGeneratorMain',
  scorecard: 'com.xceptance.xlt.report.scorecard.UpdateMain',
} as const

const configurations = {
  master: 'mastercontroller.properties',
  agents: 'agentcontroller.properties',
  report: 'reportgenerator.properties',
  scorecard: 'reportgenerator.properties',
} as const

const opened = [
  ...['java.base/java.lang', 'java.base/java.lang.reflect', 'java.base/java.text', 'java.base/java.util'],
  'java.desktop/java.awt.font',
]

/**
 * Starts a program of the engine as its script in bin/ would. The script itself is not used: it lets a shell parse
 * the arguments again, so a description could run commands, and it takes 4 GB of heap.
 *
 * @param home a folder with the release's bin, config and lib; logs and agents are written there
 */
export function engineProgram(
  program: keyof typeof classes,
  { home, javaHome, cwd, args }: { home: string; javaHome: string; cwd: string; args: readonly string[] },
): Command {
  const config = path.join(home, 'config')
  return {
    program: path.join(javaHome, 'bin/java'),
    args: [
      // These processes live for seconds: optimizing their code would take longer than running it.
      ...['-Xmx512m', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1', '-Djava.awt.headless=true'],
      ...['-Djava.security.egd=file:/dev/./urandom', `-Dcom.xceptance.xlt.home=${home}`],
      `-Dlog4j2.configurationFile=${path.join(config, configurations[program])}`,
      ...opened.map((name) => `--add-opens=${name}=ALL-UNNAMED`),
      ...['-cp', path.join(home, 'lib/*'), classes[program], ...args],
    ],
    cwd,
    env: harmlessEnvironment(javaHome, { XLT_HOME: home, XLT_CONFIG_DIR: config }),
    log: path.join(cwd, `${program}.log`),
  }
}
