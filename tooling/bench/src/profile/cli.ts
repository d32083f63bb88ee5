import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { clientArchives } from '@payments/bundle'
import type { ProofReport } from '@payments/proof'

const ROUNDS = 20

/**
 * How long the merchants' command line takes to start, as npm installs it, against a program that does nothing. The shortest of twenty
 * runs of each, in turn: whatever else the machine does makes a run longer and none shorter.
 */
export async function benchCli(print: (line: string) => void): Promise<ProofReport> {
  const folder = mkdtempSync(join(tmpdir(), 'payments-start-'))
  try {
    execFileSync('tar', ['xzf', clientArchives().cli, '-C', folder])
    const program = join(folder, 'package/dist/payments.js')
    const nothing = join(folder, 'nothing.js')
    writeFileSync(nothing, '')
    const programs = {
      'a program that does nothing': [nothing],
      'payments --version': [program, '--version'],
      'payments customers list, without a key': [program, 'customers', 'list'],
      'payments customers list --help': [program, 'customers', 'list', '--help'],
      'payments --help': [program, '--help'],
    }
    const shortest = new Map<string, number>()
    for (let round = 0; round < ROUNDS; round++)
      for (const [name, args] of Object.entries(programs)) {
        const started = performance.now()
        spawnSync(process.execPath, args, { env: { PAYMENTS_CONFIG_DIR: folder, HOME: folder } })
        shortest.set(name, Math.min(shortest.get(name) ?? Number.POSITIVE_INFINITY, performance.now() - started))
      }
    const [floor = 1] = shortest.values()
    const rows = Array.from(shortest, ([name, ms]) => ({
      name,
      milliseconds: Math.round(ms),
      ratio: Number((ms / floor).toFixed(2)),
    }))
    for (const { name, milliseconds, ratio } of rows)
      print(`${String(milliseconds).padStart(4)} ms  ${ratio.toFixed(2)}  ${name}`)
    return { findings: [], figures: { node: process.version, starts: rows } }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
