import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { compileCache, launch, program, type Random } from '@payments/stand'

/** The command ends within seconds: some kills come before it has begun to write, some after it has ended. */
const KILL_WITHIN_MS = 4000

/** A process that starts on a restored database must end with one sentence that names the command. Otherwise what it did instead. */
export async function refusesToServe(env: Readonly<Record<string, string>>): Promise<string | null> {
  let output = ''
  const child = launch({ ...env, PROCESS_ROLE: 'worker', PORT: '0', INTERNAL_PORT: '0' }, (text) => {
    output += text
  })
  const limit = setTimeout(() => child.kill('SIGKILL'), 60_000)
  const [code] = (await once(child, 'exit')) as [number | null]
  clearTimeout(limit)
  return code === 1 && output.includes('payments reconcile')
    ? null
    : `A worker on a restored database ended with ${code}: ${output.slice(-500)}`
}

/** Runs `payments reconcile` until it succeeds, and kills it before. Returns how often it was killed. @throws Error when it fails */
export async function maintain(env: Readonly<Record<string, string>>, random: Random): Promise<number> {
  let kills = 0
  for (let attempt = 0; ; attempt++) {
    let output = ''
    const child = spawn(process.execPath, [...program('reconcile'), '--revoked-keys', 'none'], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { PATH: process.env.PATH, ...compileCache, ...env },
    })
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => {
        output += chunk.toString('utf8')
      })
    const timer = attempt < 2 ? setTimeout(() => child.kill('SIGKILL'), random.below(KILL_WITHIN_MS)) : undefined
    const [code, signal] = (await once(child, 'close')) as [number | null, string | null]
    clearTimeout(timer)
    if (signal === 'SIGKILL') kills++
    else if (code === 0) return kills
    else throw new Error(`payments reconcile ended with ${code}: ${output}`)
  }
}
