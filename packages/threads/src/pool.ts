import { Worker } from 'node:worker_threads'
import { errors } from '@payments/kernel'
import { metrics, waiting } from './metrics.ts'
import type { Answer } from './thread.ts'
import { Turns } from './turns.ts'

export interface PoolBounds {
  /** Its name in the metrics. */
  readonly name: string
  /** The program of its threads, which calls `answerJobs`. */
  readonly program: URL
  /** Threads at most. Each starts when a job finds no idle one. */
  readonly threads: number
  /** Jobs that wait at most, in all and of one owner. */
  readonly waiting: number
  readonly waitingOfOwner: number
  /** How much processor time a job may take: other work of the machine does not count. */
  readonly deadlineMs: number
  /** How long it may run in any case, its wait not counted. */
  readonly mostMs: number
  /** How long it may run once nobody waits for it any more. */
  readonly abandonedMs: number
  /** Memory of a thread: V8's old generation. Bytes outside of it, such as buffers, are bounded by what a job is given. */
  readonly memoryMb: number
  /** A thread without a job for so long ends. */
  readonly idleMs: number
}

export interface ThreadPool<Job, Result> {
  /**
   * Runs a job in a thread: one of an owner at a time, the owners in turn. A job whose signal is aborted while it waits is not begun, one
   * that runs is ended if it takes longer than `abandonedMs`.
   * @throws busy 503 when too many wait, {@link JobEnded} when it takes too long or too much memory, Error when the job fails or the program does not start, the reason of the signal
   */
  run(owner: string, job: Job, signal?: AbortSignal): Promise<Result>
  /** Ends every thread, and with it the jobs that run. */
  close(): Promise<void>
}

/** A job was ended, because it took more time or memory than it may. */
export class JobEnded extends Error {
  override name = 'JobEnded'
}

/** A thread has to load its program in this time. */
const START_MS = 30_000
const RETRY_SECONDS = 5
const LOOK_MS = 100

interface Waiting<Job, Result> {
  readonly job: Job
  readonly signal: AbortSignal | undefined
  readonly resolve: (result: Result) => void
  readonly reject: (error: unknown) => void
  readonly since: number
}

interface Thread {
  readonly worker: Worker
  /** Its program is loaded. */
  readonly ready: Promise<void>
  idle: boolean
  idleTimer?: NodeJS.Timeout
}

/** Threads that start when they are needed and end when they are not. They do not keep the process running while they have no job. */
export function threadPool<Job, Result>(bounds: PoolBounds): ThreadPool<Job, Result> {
  const turns = new Turns<Waiting<Job, Result>>()
  const threads = new Set<Thread>()
  waiting.set(bounds.name, () => turns.size)
  const count = (since: number, outcome: string) =>
    metrics.duration.observe({ pool: bounds.name, outcome }, (performance.now() - since) / 1000)

  const end = async (thread: Thread) => {
    threads.delete(thread)
    clearTimeout(thread.idleTimer)
    await thread.worker.terminate()
  }

  function start(): Thread {
    const worker = new Worker(bounds.program, {
      name: bounds.name,
      resourceLimits: { maxOldGenerationSizeMb: bounds.memoryMb },
    })
    const ready = answerOf<Result>(worker, START_MS).then(
      () => undefined,
      (cause: unknown) => {
        throw new Error(`The program of the threads for ${bounds.name} did not start`, { cause })
      },
    )
    // A thread that never gets ready fails the job that waits for it.
    ready.catch(() => undefined)
    // Between two jobs nobody listens to its end: the next job would fail.
    worker.on('error', () => undefined)
    const thread: Thread = { worker, ready, idle: true }
    worker.once('exit', () => threads.delete(thread))
    threads.add(thread)
    return thread
  }

  async function perform(thread: Thread, owner: string, { job, signal, resolve, reject, since }: Waiting<Job, Result>) {
    thread.idle = false
    clearTimeout(thread.idleTimer)
    thread.worker.ref()
    let outcome = 'failed'
    let isReady = false
    let abandon: (() => void) | undefined
    let watch: { stop(): void } | undefined
    try {
      await thread.ready
      isReady = true
      const started = await processorTimeOf(thread.worker)
      const answered = answerOf<Result>(thread.worker, bounds.mostMs, (shorten) => {
        abandon = () => shorten(bounds.abandonedMs)
        if (signal?.aborted) abandon()
        else signal?.addEventListener('abort', abandon, { once: true })
        watch = watchProcessorTime(thread.worker, started + bounds.deadlineMs, () => shorten(0))
      })
      thread.worker.postMessage(job)
      const answer = await answered
      if ('result' in answer) {
        outcome = 'done'
        resolve(answer.result)
      } else throw new Error('failed' in answer ? answer.failed : 'A thread answered nothing')
    } catch (error) {
      if (error instanceof JobEnded) outcome = signal?.aborted ? 'abandoned' : 'deadline'
      if (error instanceof JobEnded || !isReady) await end(thread)
      reject(error)
    } finally {
      watch?.stop()
      if (abandon) signal?.removeEventListener('abort', abandon)
      count(since, outcome)
      turns.done(owner)
      thread.idle = true
      thread.worker.unref()
      if (threads.has(thread)) thread.idleTimer = setTimeout(() => void end(thread), bounds.idleMs).unref()
      next()
    }
  }

  function next(): void {
    for (;;) {
      const idle = [...threads].find((thread) => thread.idle)
      if (!idle && threads.size >= bounds.threads) return
      const taken = turns.take()
      if (!taken) return
      void perform(idle ?? start(), taken.owner, taken.item)
    }
  }

  return {
    run(owner, job, signal) {
      const since = performance.now()
      if (signal?.aborted) return Promise.reject(signal.reason)
      if (turns.size >= bounds.waiting || turns.waitingOf(owner) >= bounds.waitingOfOwner) {
        count(since, 'refused')
        return Promise.reject(errors.busy({ retryAfter: RETRY_SECONDS }))
      }
      return new Promise<Result>((resolve, reject) => {
        const item: Waiting<Job, Result> = { job, signal, resolve, reject, since }
        turns.add(owner, item)
        signal?.addEventListener(
          'abort',
          () => {
            if (!turns.remove(owner, item)) return
            count(since, 'abandoned')
            reject(signal.reason)
          },
          { once: true },
        )
        next()
      })
    },
    async close() {
      await Promise.all([...threads].map(end))
    },
  }
}

/** Milliseconds of the processor that a thread has taken; after its end, those of before do not matter any more. */
async function processorTimeOf(worker: Worker): Promise<number> {
  const { user, system } = await worker.cpuUsage().catch(() => ({ user: 0, system: 0 }))
  return (user + system) / 1000
}

/** Tells when a thread has taken so much processor time, to a tenth of a second. */
function watchProcessorTime(worker: Worker, most: number, over: () => void): { stop(): void } {
  let timer: NodeJS.Timeout
  let isStopped = false
  const look = async () => {
    const taken = await processorTimeOf(worker)
    if (isStopped) return
    if (taken > most) over()
    else timer = setTimeout(look, LOOK_MS)
  }
  timer = setTimeout(look, LOOK_MS)
  return {
    stop() {
      isStopped = true
      clearTimeout(timer)
    },
  }
}

/** The next answer of a thread. @throws JobEnded after the time, and when the thread ends, such as by its limit of memory */
function answerOf<Result>(
  worker: Worker,
  ms: number,
  began?: (shorten: (ms: number) => void) => void,
): Promise<Answer<Result>> {
  return new Promise((resolve, reject) => {
    const started = performance.now()
    const late = () => finish(() => reject(new JobEnded('It took too long')))
    let timer = setTimeout(late, ms)
    const finish = (settle: () => void) => {
      clearTimeout(timer)
      worker.off('message', answered).off('error', failed).off('exit', exited)
      settle()
    }
    const answered = (answer: Answer<Result>) => finish(() => resolve(answer))
    const failed = (cause: Error) => finish(() => reject(new JobEnded('Its thread failed', { cause })))
    const exited = () => finish(() => reject(new JobEnded('Its thread ended')))
    worker.on('message', answered).on('error', failed).on('exit', exited)
    began?.((shorter) => {
      clearTimeout(timer)
      timer = setTimeout(late, Math.max(0, started + Math.min(shorter, ms) - performance.now()))
    })
  })
}
