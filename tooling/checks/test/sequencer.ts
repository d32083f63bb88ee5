import { hash } from 'node:crypto'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Files that take more than 25 seconds, the longest first. Started last, one of them would run alone at the end. */
const LONG = [
  'tooling/generate/src/domains/generate.test.ts',
  'tooling/acceptance/src/browser/pay-screens.test.ts',
  'packages/swaps/src/held-crash.test.ts',
  'packages/swaps/src/crash.test.ts',
  'tooling/acceptance/src/browser/docs.test.ts',
  'tooling/acceptance/src/browser/pay.test.ts',
  'services/gateway/src/start.test.ts',
  'services/gateway/src/docs/docs.test.ts',
  'packages/cngn/src/operators/settle.test.ts',
  'tooling/acceptance/src/browser/console.test.ts',
  'tooling/start/src/packaging.test.ts',
  'packages/collections/src/crash.test.ts',
  'tooling/checks/src/gates.test.ts',
  'tooling/acceptance/src/browser/dashboard-payments.test.ts',
  'tooling/acceptance/src/browser/pay-transfer.test.ts',
  'services/maintenance/src/commands.test.ts',
  'services/gateway/src/idempotency.test.ts',
  'packages/collections/src/ends.test.ts',
  'tooling/checks/src/packages.test.ts',
  'services/ops/src/ops.test.ts',
  'tooling/acceptance/src/browser/dashboard-records.test.ts',
  'services/maintenance/src/restore/dump.test.ts',
  'tooling/acceptance/src/browser/dashboard.test.ts',
  'services/maintenance/src/doctor/doctor.test.ts',
  'packages/embedded-postgres/src/server/server.test.ts',
  'packages/webhooks/src/deliveries/killed-workers.test.ts',
  'tooling/acceptance/src/browser/dashboard-settings.test.ts',
  'tooling/acceptance/src/guides/samples.test.ts',
  'services/gateway/src/http/connections/connections.test.ts',
  'packages/embedded-postgres/src/server/supervisor.test.ts',
  'services/gateway/src/access.test.ts',
  'tooling/checks/src/architecture/rules.test.ts',
  'packages/providers/relay/src/live.test.ts',
  'packages/providers/near-intents/src/live.test.ts',
  'packages/fiat/src/endings.test.ts',
  'tooling/acceptance/src/browser/dashboard-developers.test.ts',
  'packages/swaps/src/faults.test.ts',
  'packages/providers/jupiter/src/swaps.test.ts',
  'services/cli/src/agents/agents.test.ts',
  'packages/providers/jupiter/src/recovery.test.ts',
]

/**
 * Project by project, in the order of the configuration, isolated files first: a shared process ends when the next file in the queue is of
 * another project. Within each the long files, then all others in random order.
 */
export default class Sequencer extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const { seed } = this.ctx.config.sequence
    const random = new Map(files.map((file) => [file, hash('sha1', `${seed} ${file.moduleId}`)]))
    const at = (file: TestSpecification): string => random.get(file) as string
    const project = (file: TestSpecification): number => this.ctx.projects.indexOf(file.project)
    return files.sort(
      (one, other) => project(one) - project(other) || place(one) - place(other) || (at(one) < at(other) ? -1 : 1),
    )
  }
}

function place({ moduleId }: TestSpecification): number {
  const long = LONG.findIndex((file) => moduleId.endsWith(`/${file}`))
  return long < 0 ? LONG.length : long
}
