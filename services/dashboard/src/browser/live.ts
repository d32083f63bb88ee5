import { type Environment, fetchSignedIn, queries } from './api.ts'

/** Changes that arrive together are read together, ms. */
const TOGETHER = 250
const LONGEST_PAUSE = 30_000
const FIRST_PAUSE = 1000
/** The service says something every 15 seconds. A connection that broke while the computer slept says nothing, ms. */
const SILENCE = 45_000

/**
 * Reads what is shown again whenever something happens in the organisation: one event stream for each tab, resumed where it broke off.
 * @returns what ends it
 */
export function watch(environment: Environment): () => void {
  const stop = new AbortController()
  let last = ''
  let pause = FIRST_PAUSE
  let waiting: ReturnType<typeof setTimeout> | undefined
  const changed = () => {
    waiting ??= setTimeout(() => {
      waiting = undefined
      void queries.invalidateQueries({ queryKey: [environment] })
    }, TOGETHER)
  }
  const follow = async () => {
    const silent = new AbortController()
    let silence = setTimeout(() => silent.abort(), SILENCE)
    const reply = await fetchSignedIn(`/dashboard/api/events?environment=${environment}`, {
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
      await follow().catch(() => undefined)
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
