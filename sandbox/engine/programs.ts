import path from 'node:path'
import { harmlessEnvironment, type Command } from './child.js'

const classes = {
  master: 'com.xceptance.xlt.mastercontroller.MasterControllerMain',
  agents: 'com.xceptance.xlt.agentcontroller.AgentControllerMain',
  report: 'com.xceptance.xlt.report.ReportGeneratorMain',
  comparison: 'com.xceptance.xlt.report.diffreport.DiffReportGeneratorMain',
  trend: 'com.xceptance.xlt.report.trendreport.TrendReportGeneratorMain',
  scorecard: 'com.xceptance.xlt.report.scorecard.UpdateMain',
} as const

const configurations = {
  master: 'mastercontroller.properties',
  agents: 'agentcontroller.properties',
  report: 'reportgenerator.properties',
  comparison: 'diffreportgenerator.properties',
  trend: 'trendreportgenerator.properties',
  scorecard: 'reportgenerator.properties',
} as const

const opened = [
  ...['java.base/java.lang', 'java.base/java.lang.reflect', 'java.base/java.text', 'java.base/java.util'],
  'java.desktop/java.awt.font',
]

/**
 * A program of the engine, as its own script in bin/ would start it. Not by the script, which lets a shell read
 * its arguments again, so that a description could run commands, and takes 4 GB of heap.
 *
 * @param home a folder with bin, config and lib of the release, where it writes its logs and agents
 */
export function engineProgram(
  program: keyof typeof classes,
  { home, javaHome, cwd, args }: { home: string; javaHome: string; cwd: string; args: readonly string[] },
): Command {
  const config = path.join(home, 'config')
  return {
    program: path.join(javaHome, 'bin/java'),
    args: [
      // They live for seconds: compiling them well would take longer than running them.
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
