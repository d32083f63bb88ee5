import { existsSync, readFileSync } from 'node:fs'
import { SourceMap } from 'node:module'
import { fileURLToPath } from 'node:url'

/** What V8's sampling profiler returns, as far as it is read here. */
interface Profile {
  readonly nodes: readonly {
    readonly id: number
    readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number }
  }[]
  readonly samples: readonly number[]
}

/** Processor time of a process, and whose code it ran: a share for each package of this repository, for installed packages, and for each part of Node. */
export interface CpuTime {
  readonly microseconds: number
  readonly shares: ReadonlyMap<string, number>
  /** By function: its own time, without that of functions which it calls. */
  readonly functions: ReadonlyMap<string, number>
}

/** The inspector of a process that was started with `--inspect`. */
export interface Inspector {
  /** Profiles the process while `work` runs: its own time, without waiting. */
  profile(work: () => Promise<unknown>): Promise<CpuTime>
  close(): void
}

const INTERVAL_MICROSECONDS = 250

/** @param output what the process wrote, which names the inspector's address */
export async function inspect(output: string): Promise<Inspector> {
  const address = output.match(/ws:\/\/127\.0\.0\.1:\d+\/\S+/)?.[0]
  if (!address) throw new Error('The process has no inspector')
  const socket = new WebSocket(address)
  const replies = new Map<number, (result: unknown) => void>()
  socket.addEventListener('message', ({ data }) => {
    const { id, result } = JSON.parse(String(data)) as { id: number; result: unknown }
    replies.get(id)?.(result)
  })
  await new Promise((resolve, reject) => {
    socket.addEventListener('open', resolve)
    socket.addEventListener('error', () => reject(new Error('The inspector does not answer')))
  })
  let last = 0
  const call = (method: string, params = {}): Promise<unknown> =>
    new Promise((resolve) => {
      const id = ++last
      replies.set(id, resolve)
      socket.send(JSON.stringify({ id, method, params }))
    })
  /** Of all threads, so what the machine does beside it is not in it. */
  const used = async (): Promise<number> => {
    const expression = '(({ user, system }) => user + system)(process.cpuUsage())'
    return ((await call('Runtime.evaluate', { expression })) as { result: { value: number } }).result.value
  }
  await call('Profiler.enable')
  await call('Profiler.setSamplingInterval', { interval: INTERVAL_MICROSECONDS })
  return {
    async profile(work) {
      const before = await used()
      await call('Profiler.start')
      await work()
      const { profile } = (await call('Profiler.stop')) as { profile: Profile }
      return {
        microseconds: (await used()) - before,
        shares: sharesOf(profile, ownerOf),
        functions: sharesOf(profile, nameOf),
      }
    },
    close: () => socket.close(),
  }
}

/** Shares of the samples in which the process did something. */
function sharesOf({ nodes, samples }: Profile, by: typeof ownerOf): ReadonlyMap<string, number> {
  const owners = new Map(nodes.map(({ id, callFrame }) => [id, by(callFrame)]))
  const counts = new Map<string, number>()
  for (const node of samples) {
    const owner = owners.get(node)
    if (owner) counts.set(owner, (counts.get(owner) ?? 0) + 1)
  }
  const all = [...counts.values()].reduce((sum, count) => sum + count, 0)
  return new Map([...counts].map(([owner, count]) => [owner, count / all]))
}

type CallFrame = Profile['nodes'][number]['callFrame']

/** A function with its file; undefined while the process waits. */
const nameOf = (frame: CallFrame): string | undefined =>
  frame.functionName === '(idle)'
    ? undefined
    : `${frame.functionName || '(anonymous)'} ${sourceOf(frame).split('/').slice(-3).join('/')}`

/** Whose code a function is; undefined while the process waits. */
function ownerOf(frame: CallFrame): string | undefined {
  const { functionName, url } = frame
  if (functionName === '(idle)') return undefined
  const own = sourceOf(frame).match(/\/((?:packages\/providers|packages|services|tooling)\/[^/]+)\//)?.[1]
  if (own) return own
  if (url.startsWith('file:')) return 'installed packages'
  return functionName.startsWith('(') ? functionName : 'node'
}

const maps = new Map<string, SourceMap | undefined>()

/** The source of a function, where the maps of the artefact name it; else its file. */
function sourceOf({ url, lineNumber }: CallFrame): string {
  if (!url.startsWith('file:')) return url
  const file = `${fileURLToPath(url)}.map`
  if (!maps.has(url))
    maps.set(url, existsSync(file) ? new SourceMap(JSON.parse(readFileSync(file, 'utf8'))) : undefined)
  const entry = maps.get(url)?.findEntry(lineNumber, 0)
  return entry && 'originalSource' in entry ? entry.originalSource : url
}
