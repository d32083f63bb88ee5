// What the programs share that run on a machine of their own: what they are given, and how they report. See `runOnMachine`.
import { mkdtempSync, writeFileSync } from 'node:fs'
import { everyDomain, loadServiceSettings } from '@payments/api'
import { createLog, migrate } from '@payments/platform'
import type { DatabaseUrls } from '@payments/stand'
import { Pool } from 'pg'
import type { ProofOptions, ProofReport } from '../../proof.ts'

export const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'

const [, , size = 'short', seed = '1', times] = process.argv
export const options: ProofOptions = {
  size: size as ProofOptions['size'],
  seed: Number(seed),
  ...(times ? { times: Number(times) } : {}),
  log: (line) => void process.stdout.write(`${line}\n`),
}

/** Ends the program with its report, or with the error that ended the proof, after `failed`. */
export async function report(prove: () => Promise<ProofReport>, failed?: () => void): Promise<never> {
  try {
    writeFileSync(3, JSON.stringify(await prove()))
    process.exit(0)
  } catch (error) {
    failed?.()
    options.log((error as Error).stack ?? String(error))
    process.exit(1)
  }
}

/** Migrates an empty database as its owner. With the keys of a service that uses it, and connections of the owner that outlive those of a server. */
export async function migrated(urls: DatabaseUrls, timeoutMs: number) {
  await migrate(urls.ownerUrl, urls.serviceUrl, everyDomain, createLog('error'))
  const dataDir = mkdtempSync('/tmp/service-')
  loadServiceSettings({ NODE_ENV: 'test', DATA_DIR: dataDir })
  const pool = new Pool({ connectionString: urls.ownerUrl, max: 2, query_timeout: timeoutMs })
  pool.on('error', () => undefined)
  return { dataDir, pool, ...urls }
}
