/** Something that waits for work which tables tell of. */
export interface Watched {
  /**
   * SQL with one value, a time: when there is work, as far as its tables say; null: none is known. It is read by an index, whatever the
   * number of rows.
   */
  readonly due: string
  /** It recurs by a schedule: that it is due does not say that anything happens. */
  readonly recurs?: boolean
  /** Does the work that is due. */
  wake(): void
}

/** SQL: the earliest of several times that {@link Watched} may say; null where there is none. */
export const earliest = (times: readonly string[]): string =>
  times.length === 0 ? 'null::timestamptz' : `least(${times.map((time) => `(${time})`).join(', ')})`

/** SQL: at once while a statement has rows, and not before. */
export const atOnceIf = (rows: string): string => `case when exists (${rows}) then now() end`

/** How a process asks for all that it watches: see {@link watchDue}. */
export interface DueWatch {
  /** Something has happened: for a minute it is asked as often as while there is work. */
  soon(): void
  stop(): Promise<void>
}

/** How often is asked while something happens, ms: as often at the least after the last trigger, or after work was found, for {@link BUSY_FOR_MS}. */
const BUSY_MS = 1000
const BUSY_FOR_MS = 60_000
/** How often is asked while nothing happens, ms. Work of which no trigger told begins so late at the most. */
export const IDLE_MS = 5000
/** What is due sooner is asked for together. */
const LEAST_MS = 200

/** How long until the next question, ms: when the next work is due, and no longer than {@link BUSY_MS}, or {@link IDLE_MS} while nothing happens. */
export function waitFor(untilDue: readonly (number | null)[], isBusy: boolean): number {
  const next = untilDue.filter((ms) => ms !== null && ms > 0) as number[]
  return Math.min(isBusy ? BUSY_MS : IDLE_MS, Math.max(LEAST_MS, Math.ceil(Math.min(...next))))
}

/** SQL: a question to which {@link watchDue} reads the answers, in milliseconds from now. */
const questionOf = (watched: readonly Watched[]): string =>
  `select array[${watched
    .map(
      ({ due }) =>
        `(select extract(epoch from greatest(t.at, 'epoch') - clock_timestamp()) * 1000 from (select (${due})::timestamptz as at) t where t.at < 'infinity')`,
    )
    .join(', ')}]::float8[] as due`

/**
 * Asks in one statement when there is work for each of `watched`, and wakes those for which it is due. While nothing happens that is one
 * statement in {@link IDLE_MS}; each trigger, and all work that is found and does not recur, makes it one a second. A time that is known is waited for exactly.
 * Where there is no answer, all are woken.
 * @param ask the one array of a statement; undefined where it cannot be asked for now
 */
export function watchDue(
  ask: (text: string) => Promise<readonly (number | null)[] | undefined>,
  watched: readonly Watched[],
): DueWatch {
  const question = questionOf(watched)
  let stopping = false
  let busyUntil = 0
  let asksAt = 0
  let timer: NodeJS.Timeout | undefined
  let endWait: () => void = () => undefined

  const wait = (ms: number): Promise<void> =>
    new Promise((resolve) => {
      asksAt = performance.now() + ms
      endWait = resolve
      timer = setTimeout(resolve, ms)
    })

  const asking = (async () => {
    while (!stopping && watched.length > 0) {
      const untilDue = (await ask(question)) ?? watched.map(() => 0)
      if (stopping) break
      const due = watched.filter((_, place) => (untilDue[place] ?? 1) <= 0)
      if (due.some(({ recurs }) => !recurs)) busyUntil = performance.now() + BUSY_FOR_MS
      for (const { wake } of due) wake()
      await wait(waitFor(untilDue, performance.now() < busyUntil))
      clearTimeout(timer)
    }
  })()

  return {
    soon() {
      const now = performance.now()
      busyUntil = now + BUSY_FOR_MS
      if (asksAt - now <= BUSY_MS) return
      asksAt = now + BUSY_MS
      clearTimeout(timer)
      timer = setTimeout(endWait, BUSY_MS)
    },
    async stop() {
      stopping = true
      clearTimeout(timer)
      endWait()
      await asking
    },
  }
}
