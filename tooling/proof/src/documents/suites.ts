import { spawn } from 'node:child_process'
import { root } from '@payments/checks'

/**
 * Runs test files, and returns what they printed where they failed.
 * @param paths below the root of the repository
 */
export async function suiteProblems(paths: readonly string[], env: Record<string, string> = {}): Promise<string[]> {
  const args = [`${root}/node_modules/vitest/vitest.mjs`, 'run', '--root', root, ...paths]
  const child = spawn(process.execPath, args, { cwd: root, env: { ...process.env, ...env } })
  const printed: Buffer[] = []
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => printed.push(chunk))
  const status = await new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', resolve)
  })
  return status === 0 ? [] : [`${paths.join(', ')}: ${Buffer.concat(printed).toString('utf8')}`]
}
