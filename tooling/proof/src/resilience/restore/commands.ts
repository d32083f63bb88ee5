import { spawn } from 'node:child_process'
import { compileCache, launch, outputOf, program, type Random } from '@payments/stand'

/** The command ends within seconds: some kills come before it has begun to write, some after it has ended. */
const KILL_WITHIN_MS = 4000

/** A process that starts on a restored database must end with one sentence that names the command. Otherwise what it did instead. */
export async function refusesToServe(env: Readonly<Record<string, string>>): Promise<string | null> {
  const settings = { ...env, PROCESS_ROLE: 'worker', PORT: '0', INTERNAL_PORT: '0' }
  const child = launch(settings, () => undefined)
  const limit = setTimeout(() => child.kill('SIGKILL'), 60_000)
  const { status, output } = await outputOf(child)
  clearTimeout(limit)
  return status === 1 && output.includes('payments reconcile')
    ? null
    : `A worker on a restored database ended with ${status}: ${output.slice(-500)}`
}

/** Runs `payments reconcile` until it succeeds, and kills it before. Returns how often it was killed. @throws Error when it fails */
export async function maintain(env: Readonly<Record<string, string>>, random: Random): Promise<number> {
  let kills = 0
  for (let attempt = 0; ; attempt++) {
    const child = spawn(process.execPath, [...program('reconcile'), '--revoked-keys', 'none'], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { PATH: process.env.PATH, ...compileCache, ...env },
      ...(attempt < 2 ? { timeout: 1 + random.below(KILL_WITHIN_MS), killSignal: 'SIGKILL' } : {}),
    })
    const { status, signal, output } = await outputOf(child)
    if (signal === 'SIGKILL') kills++
    else if (status === 0) return kills
    else throw new Error(`payments reconcile ended with ${status}: ${output}`)
  }
}
