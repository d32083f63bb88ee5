import { spawnSync } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ProofReport } from '@payments/proof'
import { launchGateway, median } from '@payments/stand'

const ROUNDS = 9
/** From the start of the process until it serves and its worker runs, in starts of a program that does nothing. */
const MOST = 50

/**
 * How long the service takes to start with the embedded database, where it has run before, until it serves; in turn with a program of
 * Node that does nothing.
 */
export async function benchStart(print: (line: string) => void): Promise<ProofReport> {
  const folder = mkdtempSync(join(tmpdir(), 'payments-start-'))
  // Open to the user that the database runs as, so that it keeps its data here.
  chmodSync(folder, 0o755)
  try {
    const start = async (): Promise<number> => {
      const started = performance.now()
      const service = await launchGateway({ PROCESS_ROLE: 'all', DATA_DIR: folder, LOG_LEVEL: 'fatal' })
      const taken = performance.now() - started
      await service.stop()
      return taken
    }
    const first = Math.round(await start())
    const times: { service: number; floor: number }[] = []
    for (let round = 0; round < ROUNDS; round++) {
      const started = performance.now()
      spawnSync(process.execPath, ['--eval', ''])
      times.push({ floor: performance.now() - started, service: await start() })
    }
    const milliseconds = Math.round(median(times.map(({ service }) => service)))
    const floor = Math.round(median(times.map((each) => each.floor)))
    const ratio = Math.round(median(times.map((each) => each.service / each.floor)))
    print(
      `  serves after ${milliseconds} ms, the first time after ${first} ms; a program that does nothing: ${floor} ms`,
    )
    return {
      findings: ratio > MOST ? [`The service takes ${ratio} times as long to start as nothing, at most ${MOST}`] : [],
      figures: { milliseconds, firstStart: first, aProgramThatDoesNothing: floor, ratio },
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
