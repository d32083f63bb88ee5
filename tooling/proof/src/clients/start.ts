import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { median } from '@payments/stand'
import type { Place } from './place.ts'

const ROUNDS = 25

/** Milliseconds, the medians of alternating runs: Node with nothing to do, and the packed command line with little. */
export interface Start {
  readonly node: number
  readonly version: number
  readonly help: number
}

/** How long the packed command line takes to start in this Node. */
export function startOf({ folder, modules }: Place, node: string): Start {
  const program = join(modules, '@payments/cli/dist/payments.js')
  const commands = { node: ['-e', '0'], version: [program, '--version'], help: [program, 'swaps', 'create', '--help'] }
  const took = { node: [] as number[], version: [] as number[], help: [] as number[] }
  for (let round = 0; round < ROUNDS; round++)
    for (const name of ['node', 'version', 'help'] as const) {
      const began = performance.now()
      const { status } = spawnSync(join(modules, node), commands[name], { env: { HOME: folder }, stdio: 'ignore' })
      if (status !== 0) throw new Error(`payments ended with ${status}`)
      took[name].push(performance.now() - began)
    }
  return { node: middle(took.node), version: middle(took.version), help: middle(took.help) }
}

const middle = (values: readonly number[]): number => Math.round(median(values))
