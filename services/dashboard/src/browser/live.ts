import { type Environment, fetchSignedIn, queries } from './api.ts'

/** Changes that arrive together are read together, ms. */
const TOGETHER = 250
/** The time between two reads while changes do not end, ms: reads of all organisations cost more, and all count against the limit of the session. */
const APART = 1000
const APART_FOR_ALL = 2000
const LONGEST_PAUSE = 30_000
const FIRST_PAUSE = 1000
/** The service says something every 15 seconds. A connection that broke while the computer slept says nothing, ms. */
const SILENCE = 45_000

/**
 * Reads what is shown again whenever something happens in the organisation: one event stream for each tab, resumed where it broke off.
 * @returns what ends it
 */
export const watch = (environment: Environment): (() => void) =>
  follow(`events?environment=${environment}`, environment, APART)

/** Reads what the operators' console shows again whenever something happens in any organisation. @returns what ends it */
export const watchAll = (key: string): (() => void) => follow('changes', key, APART_FOR_ALL)

/** Follows a stream of the dashboard and reads again what is kept under a key. */
function follow(path: string, key: string, apart: number): () => void {
  const stop = new AbortController()
  let last = ''
  let pause = FIRST_PAUSE
  let waiting: ReturnType<typeof setTimeout> | undefined
  let lastRead = Number.NEGATIVE_INFINITY
  const changed = () => {
    waiting ??= setTimeout(
      () => {
        waiting = undefined
        lastRead = performance.now()
        void queries.invalidateQueries({ queryKey: [key] })
      },
      Math.max(TOGETHER, lastRead + apart - performance.now()),
    )
  }
  const read = async () => {
    const silent = new AbortController()
    let silence = setTimeout(() => silent.abort(), SILENCE)
    const reply = await fetchSignedIn(`/dashboard/api/${path}`, {
      signal: AbortSignal.any([stop.signal, silent.signal]),
      headers: last ? { 'last-event-id': last } : {},
    })
    if (!reply.ok || !reply.body) return
    pause = FIRST_PAUSE
    const reader = reply.body.pipeThrough(new TextDecoderStream()).getReader()
    for (let rest = ''; ; ) {
      const { done, value } = await reader.read()
      clearTimeout(silence)
      if (done) return
      silence = setTimeout(() => silent.abort(), SILENCE)
      const lines = (rest + value).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) if (line.startsWith('id:')) last = line.slice('id:'.length).trim()
      if (lines.some((line) => line.startsWith('data:'))) changed()
    }
  }
  const run = async () => {
    while (!stop.signal.aborted) {
      await read().catch(() => undefined)
      if (stop.signal.aborted) return
      await new Promise((resolve) => setTimeout(resolve, pause))
      pause = Math.min(pause * 2, LONGEST_PAUSE)
      // What happened while nothing was connected.
      changed()
    }
  }
  void run()
  return () => {
    stop.abort()
    clearTimeout(waiting)
  }
}
