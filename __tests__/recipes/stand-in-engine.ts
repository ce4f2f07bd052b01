import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'

/** Replaces what judge.yml builds and downloads with the scripts in this folder; for `edited`. */
export const ownEngine = (folder: string) => ({
  'mvn -B -ntp process-test-classes dependency:copy-dependencies -DexcludeScope=provided': 'test -f pom.xml',
  'mvn -B -ntp dependency:copy -Dartifact="com.xceptance:xlt:${XLT#xlt-}:zip" -DoutputDirectory="$RUNNER_TEMP"': `ln -s ${folder} "$RUNNER_TEMP/$XLT"`,
  'unzip -q "$RUNNER_TEMP/$XLT.zip" -d "$RUNNER_TEMP"': 'test -d "$RUNNER_TEMP/$XLT"',
})

/**
 * Scripts instead of the engine's that leave a report of an earlier run, and may print a line before. A comment makes
 * it that of a run of its own: no run is compared with itself.
 */
export function standInEngine(folder: string, report: string, line = ''): void {
  const golden = path.resolve('__tests__/engine/golden/10.0.0-beta-1', report)
  const scripts = {
    mastercontroller: `echo "${line}" && [ "$1 $2 $3" = "-auto -embedded -o" ] && mkdir "$4"`,
    create_report: `[ -d "$3" ] && [ "$1" = -o ] && mkdir "$2" && cp ${golden}/*.xml "$2" &&
sed -i "s|<comments/>|<comments><string>Workflow run $GITHUB_RUN_ID</string></comments>|" "$2/testreport.xml"`,
  }
  mkdirSync(path.join(folder, 'bin'), { recursive: true })
  for (const [name, script] of Object.entries(scripts)) {
    writeFileSync(path.join(folder, 'bin', `${name}.sh`), `#!/bin/sh\n${script}\n`, { mode: 0o755 })
  }
}
