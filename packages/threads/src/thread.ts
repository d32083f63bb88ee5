import { parentPort } from 'node:worker_threads'

/** What a pool sends to its thread, and what the thread answers: that it is ready, a result, or that the job failed. */
export type Answer<Result> = { readonly ready: true } | { readonly result: Result } | { readonly failed: string }

/**
 * Answers the jobs of a pool, one after another: the whole of a thread's program. An error of `work` is the answer too, and the thread goes on.
 * @throws Error outside of a thread
 */
export function answerJobs<Job, Result>(work: (job: Job) => Promise<Result> | Result): void {
  const port = parentPort
  if (!port) throw new Error('This program runs as a thread of a pool')
  const answer = (message: Answer<Result>) => port.postMessage(message)
  port.on('message', async (job: Job) => {
    try {
      answer({ result: await work(job) })
    } catch (error) {
      answer({ failed: (error as Error).stack ?? String(error) })
    }
  })
  answer({ ready: true })
}
