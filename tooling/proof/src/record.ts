import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import type { ProofOptions, ProofReport } from './proof.ts'

const ROOT = new URL('../../../', import.meta.url)
const FOLDER = new URL('docs/derived/proof/', ROOT)

/** Writes the figures of a run to `docs/derived/proof/<name>.json`, with the date and the commit that they were measured at. */
export function record(
  name: string,
  { size, seed, times }: Partial<ProofOptions>,
  { findings, figures }: ProofReport,
  command = `npm run proof -- ${name}`,
): string {
  const commit = execFileSync('git', ['rev-parse', '--short=12', 'HEAD'], {
    cwd: ROOT.pathname,
    encoding: 'utf8',
  }).trim()
  const date = new Date().toISOString().slice(0, 10)
  const file = new URL(`${name}.json`, FOLDER).pathname
  const content = {
    name,
    date,
    commit,
    command,
    ...(size === undefined ? {} : { size }),
    ...(times === undefined ? {} : { times }),
    ...(seed === undefined ? {} : { seed }),
    findings,
    figures,
  }
  mkdirSync(FOLDER, { recursive: true })
  writeFileSync(file, `${JSON.stringify(content, null, 2)}\n`)
  return file
}
